import * as z from 'zod'
import { KUBERNETES_VERSION } from '../../../../core/values/kubernetes.ts'
import { quote } from '../../../../core/values/wording.ts'
import { serverUrl } from '../../../../kubernetes/kubeconfig/server-url.ts'

/** Ids of the phases of all plans: what `memory-fail-phase` may name. Those of updates are the kinds of tasks. */
export const PHASE_IDS = [
  'provision',
  'identify',
  'resize',
  'node-group-create',
  'node-group-update',
  'node-group-delete',
  'upgrade',
  'rotate-authority',
  'rotate-credential',
  'remove',
] as const
export type PhaseId = (typeof PHASE_IDS)[number]

/** Phases that are about one node group. */
const GROUP_PHASE_IDS = ['resize', 'node-group-create', 'node-group-update', 'node-group-delete', 'upgrade'] as const

/** Values of a label: how they are read, and what they shall be, in words that fit after "give". */
type LabelRule<T> = { schema: z.ZodType<T, string>; expected: string }

const seconds: LabelRule<number> = {
  schema: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number),
  expected: 'a whole number of seconds from 0 to 9999',
}

const readableUrl = (text: string, context: z.RefinementCtx): string => {
  try {
    return serverUrl(text, 'memory-api-address')
  } catch {
    // Why exactly is of no interest: the fault is reported by `expected`.
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }
}

/** Labels of a cluster that memory@1 reads; README.md says what each does. */
export const CLUSTER_LABELS = {
  'memory-delay-seconds': seconds,
  'memory-update-delay-seconds': seconds,
  'memory-delete-delay-seconds': seconds,
  'memory-fail-phase': { schema: z.enum(PHASE_IDS), expected: `one of ${PHASE_IDS.join(', ')}` },
  'memory-uid': { schema: z.string().min(1), expected: 'a text that is not empty' },
  'memory-health': { schema: z.enum(['HEALTHY', 'UNHEALTHY']), expected: 'HEALTHY or UNHEALTHY' },
  'memory-api-address': {
    schema: z.string().transform(readableUrl),
    expected: 'the https:// address of an API server, such as https://127.0.0.1:6443',
  },
  kube_tag: { schema: z.string().regex(KUBERNETES_VERSION), expected: 'a Kubernetes version such as v1.36.0' },
} as const

/** Labels of a node group that memory@1 reads. */
export const GROUP_LABELS = {
  'memory-fail': {
    // Magnum stores the boolean of a label as "True".
    schema: z
      .string()
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(['true', 'false', ...GROUP_PHASE_IDS])),
    expected: `true, false, or one of ${GROUP_PHASE_IDS.join(', ')}`,
  },
} as const

type Rules = Readonly<Record<string, LabelRule<unknown>>>
type ReadLabels<R extends Rules> = { readonly [K in keyof R]?: z.output<R[K]['schema']> }
type Labels = Readonly<Record<string, string>>

/** What labels say. Absent ones and those that can't be read are not in it. */
export const readLabels = <R extends Rules>(rules: R, labels: Labels): ReadLabels<R> =>
  Object.fromEntries(
    Object.entries(rules).flatMap(([key, { schema }]) => {
      const read = schema.safeParse(labels[key])
      return read.success ? [[key, read.data]] : []
    }),
  ) as ReadLabels<R>

/** One sentence for each label whose value can't be read. `whose`: "the cluster", "node group gpu". */
export const labelFaults = (rules: Rules, labels: Labels, whose: string): string[] =>
  Object.entries(rules).flatMap(([key, { schema, expected }]) => {
    const value = labels[key]
    if (value === undefined || schema.safeParse(value).success) return []
    return [`Label ${key} of ${whose} is ${quote(value)}; give ${expected}.`]
  })

/** Since when a phase of an operation takes its time. */
export const Mark = z.object({ of: z.string(), at: z.iso.datetime() })
export type Mark = z.infer<typeof Mark>

/** Nodes of one group: their numbers as runs (first, last) in rising order, and the number of the next new one. */
export const SimulatedNodes = z.object({
  next: z.int().min(1),
  runs: z.array(z.tuple([z.int().min(1), z.int().min(1)])),
})
export type SimulatedNodes = z.infer<typeof SimulatedNodes>
