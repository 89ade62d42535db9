import type { Labels } from './labels.ts'

/** What JSON has for an attribute, by the name of its type. */
type JsonTypes = {
  text: string
  /** One of its `words`, for the compiler as well: of what is stored nothing else is readable. */
  word: string
  integer: number
  boolean: boolean
  /** Texts by name. */
  labels: Labels
  /** Texts. */
  list: readonly string[]
  /** ISO 8601 with `+00:00`. */
  time: string
  /** `self` and `bookmark`. */
  links: readonly unknown[]
  /** What a schema of its own says. */
  object: unknown
}

/** In which answers an attribute is: in items of the plain list and all others, from the detailed list on, or of one object only. */
export const PLACES = ['list', 'detail', 'one'] as const
export type Place = (typeof PLACES)[number]

/** One attribute of the API. */
export type Attribute = {
  type: keyof JsonTypes
  /** The texts that it may be. */
  words?: readonly string[]
  /** Of integers. Default: no bound but Magnum's, 2^31 - 1. */
  min?: number
  /** Of integers; of texts their characters, default 255. */
  max?: number
  /** May be null in answers. */
  nullable?: true
  /**
   * Of a request that creates: must be there; may be there, where null and `""` are as absent; the same, but null is kept; may be there and is
   * dropped, since only the server sets it. Default: is refused.
   */
  request?: 'required' | 'optional' | 'nullable' | 'ignored'
  /** What is not given. Default: null, or none. */
  default?: string | number | boolean | Labels
  /** The attribute of the cluster template that says what is not given; true: the one of the same name. */
  inherits?: string | true
  /** The entity keeps it under the same name, in camel case. */
  kept?: true
  /** Default: in no answer. */
  shown?: Place
  /** Minor versions that show it. Default: all. */
  since?: number
  until?: number
  /** `sort_key` may be it. */
  sorts?: true
  /** A patch may replace it, or remove it too, which gives the default back. Default: neither. */
  patch?: 'replace' | 'remove'
  /** Rule of the policy that a patch of it needs besides the route's. */
  rule?: string
  /** Of a cluster template: may change while clusters use it. */
  inUse?: true
  /** What fedplane adds to Magnum. */
  ours?: true
}

export type Attributes = Readonly<Record<string, Attribute>>

export type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

/** Names of those that have a property so. */
type NameOf<A extends Attributes, P> = keyof { [K in keyof A as A[K] extends P ? K : never]: K } & string

export type ValueOf<T extends Attribute> = T extends { type: 'word'; words: readonly (infer W)[] }
  ? W
  : JsonTypes[T['type']]
type NullOf<T extends Attribute> = T extends { nullable: true } ? null : never

export type KeptName<A extends Attributes> = NameOf<A, { kept: true }>
export type RequestName<A extends Attributes> = NameOf<A, { request: 'required' | 'optional' | 'nullable' }>
export type PatchName<A extends Attributes> = NameOf<A, { patch: string }>
/** What is shown in a shape of its own. */
export type ObjectName<A extends Attributes> = NameOf<A, { type: 'object'; shown: Place }>
export type ShownName<A extends Attributes> = NameOf<A, { shown: Place }>

/** Those that need not be given: they may be null, or have a default. */
type OpenName<A extends Attributes> = KeptName<A> & (NameOf<A, { nullable: true }> | NameOf<A, { default: unknown }>)

/** Attributes as an entity keeps them. */
export type Kept<A extends Attributes, N extends KeptName<A> = KeptName<A>> = {
  [K in N as Camel<K>]: ValueOf<A[K]> | NullOf<A[K]>
}

/** The same under the API's names. */
export type KeptByName<A extends Attributes> = { [K in KeptName<A>]: ValueOf<A[K]> | NullOf<A[K]> }

/** Those that need not be given. */
export type Open<A extends Attributes> = Kept<A, OpenName<A>>

/** What is given of those. */
export type Given<A extends Attributes> = { [K in keyof Open<A>]?: Open<A>[K] | undefined }

/** What a patch may set of them. */
export type Settable<A extends Attributes> = { [K in PatchName<A>]: ValueOf<A[K]> | NullOf<A[K]> }

/** The name in the entity: `keypair_id` → `keypairId`. */
export const camelOf = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

export type AttributeValues = Readonly<Record<string, unknown>>

/** The attributes that are meant, with what `read` says of them. */
export const mapAttributes = <V>(
  attributes: Attributes,
  isMeant: (attribute: Attribute) => boolean,
  read: (name: string, attribute: Attribute) => V,
): Record<string, V> => {
  const rows = Object.entries(attributes).filter(([, attribute]) => isMeant(attribute))
  return Object.fromEntries(rows.map(([name, attribute]) => [name, read(name, attribute)]))
}

const isKept = ({ kept }: Attribute): boolean => kept === true
const isOpen = ({ kept, nullable, default: fallback }: Attribute): boolean =>
  kept === true && (nullable === true || fallback !== undefined)

const inEntity = (values: AttributeValues): AttributeValues =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [camelOf(name), value]))

/** Attributes as an entity keeps them, from the same under the API's names. */
export const keptFrom = <A extends Attributes>(attributes: A, values: KeptByName<A>): Kept<A> => {
  const given: AttributeValues = values
  return inEntity(mapAttributes(attributes, isKept, (name) => given[name])) as Kept<A>
}

/** The other way round. */
export const keptByName = <A extends Attributes>(attributes: A, kept: Kept<A>): KeptByName<A> => {
  const values: AttributeValues = kept
  return mapAttributes(attributes, isKept, (name) => values[camelOf(name)]) as KeptByName<A>
}

/** What a request gives of the attributes that need not be given. */
export const givenOf = <A extends Attributes>(attributes: A, body: object): Given<A> => {
  const given: AttributeValues = { ...body }
  return inEntity(mapAttributes(attributes, isOpen, (name) => given[name])) as Given<A>
}

/** What is given, else what the parent has, else the default. */
export const inheritedFrom = <A extends Attributes>(attributes: A, given: Given<A>, parent: object): Open<A> => {
  const [own, parents]: [AttributeValues, AttributeValues] = [given, { ...parent }]
  const values = mapAttributes(attributes, isOpen, (name, { inherits, default: fallback = null }) => {
    const value = own[camelOf(name)]
    if (value !== undefined) return value
    return inherits === undefined ? fallback : parents[camelOf(inherits === true ? name : inherits)]
  })
  return inEntity(values) as Open<A>
}

/** Defaults of the attributes that need not be given; null where there is none. */
export const defaultsOf = <A extends Attributes>(attributes: A): Open<A> =>
  inEntity(mapAttributes(attributes, isOpen, (_, { default: fallback = null }) => fallback)) as Open<A>
