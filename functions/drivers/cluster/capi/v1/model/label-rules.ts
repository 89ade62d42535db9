import * as z from 'zod'
import { KUBERNETES_VERSION, withV } from '../../../../../core/values/kubernetes.ts'
import { type Infrastructure, isNetworkAddress, prefixLength } from './infrastructure.ts'

/** How the text of a label is read, what it shall be (in words that fit after "give"), and what counts when it is absent or empty. */
export type LabelRule<T> = {
  schema: z.ZodType<T, string>
  expected: string
  fallback: T
  /** Undefined: on every infrastructure. */
  on?: Infrastructure
}

/** Spellings of a boolean that Magnum takes; it stores `True` itself. */
const TRUE = ['true', 't', 'yes', 'y', 'on', '1']
const FALSE = ['false', 'f', 'no', 'n', 'off', '0']

const boolean = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum([...TRUE, ...FALSE]))
  .transform((text) => TRUE.includes(text))

const optional = <T>(schema: z.ZodType<T, string>, expected: string): LabelRule<T | undefined> => ({
  schema,
  expected,
  fallback: undefined,
})

/** A label that has a value when it is absent. */
export const withDefault = <T>({ schema, expected }: LabelRule<T | undefined>, fallback: T): LabelRule<T> => ({
  schema: schema as z.ZodType<T, string>,
  expected,
  fallback,
})

/** The label means something to OpenStack only. */
export const openstack = <T>(rule: LabelRule<T>): LabelRule<T> => ({ ...rule, on: 'openstack' })

export const flag: LabelRule<boolean | undefined> = optional(boolean, 'true or false')

export const wholeNumber = (max: number, unit = ''): LabelRule<number | undefined> =>
  optional(
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .pipe(z.number().max(max)),
    `a whole number${unit} from 0 to ${max}`,
  )

export const matching = (pattern: RegExp, expected: string): LabelRule<string | undefined> =>
  optional(z.string().regex(pattern), expected)

export const oneOf = <const V extends readonly [string, ...string[]]>(values: V): LabelRule<V[number] | undefined> =>
  optional(z.enum(values), values.join(' or '))

/** What may be a name or an id in a cloud: printable, without spaces or control characters, so that it can't break out of a file. */
export const name: LabelRule<string | undefined> = matching(
  /^[\w.:/@+~-]{1,255}$/,
  'a name or id of 1 to 255 letters, digits and "._:/@+~-"',
)

const listed = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(/[\s,;]+/).filter((part) => part !== ''))
    .pipe(z.array(item).min(1).max(64))

/** Items with commas or spaces between. */
export const list = (item: z.ZodType<string, string>, expected: string): LabelRule<string[] | undefined> =>
  optional(listed(item), expected) as LabelRule<string[] | undefined>

export const names: LabelRule<string[] | undefined> = list(
  z.string().regex(/^[\w.:/@+~-]{1,255}$/),
  'names or ids with commas or spaces between',
)

/** A network of a cluster, its mask from so many bits to so many. */
export const cidr = (shortest: number, longest: number): LabelRule<string | undefined> =>
  optional(
    z
      .cidrv4()
      .refine((text) => isNetworkAddress(text) && prefixLength(text) >= shortest && prefixLength(text) <= longest),
    `an IPv4 network from /${shortest} to /${longest} such as 10.0.0.0/16`,
  )

export const cidrs: LabelRule<string[] | undefined> = list(
  z.cidrv4(),
  'IPv4 networks such as 192.0.2.0/24, with commas or spaces between',
)

export const address: LabelRule<string | undefined> = optional(z.ipv4(), 'an IPv4 address')

/** Given back with its `v`. */
export const version: LabelRule<string | undefined> = optional(
  z.string().regex(KUBERNETES_VERSION).transform(withV),
  'a Kubernetes version such as v1.36.0',
)
