import type { Labels } from '../../../../core/values/labels.ts'
import { quote } from '../../../../core/values/wording.ts'
import type { Infrastructure } from './infrastructure.ts'
import type { LabelRule } from './labels-rules.ts'
import { CLUSTER_LABELS, GROUP_LABELS } from './labels-table.ts'

type Rules = Readonly<Record<string, LabelRule<unknown>>>
type Values<R extends Rules> = { readonly [K in keyof R]: R[K]['fallback'] }

export type ClusterValues = Values<typeof CLUSTER_LABELS>
export type GroupValues = Values<typeof GROUP_LABELS>

/** Empty labels are as absent: `--labels calico_tag=` is how Magnum's clients take one back. */
const givenOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) && labels[key] !== '' ? labels[key] : undefined

/** What counts for a label that can't be read is what counts without it: `check` has refused it before anything was made by it. */
const readOr = ({ schema, fallback }: LabelRule<unknown>, text: string | undefined): unknown => {
  const read = schema.safeParse(text)
  return read.success ? read.data : fallback
}

const read = <R extends Rules>(rules: R, labels: Labels): Values<R> =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, readOr(rule, givenOf(labels, key))])) as Values<R>

/** What the labels of a cluster say. */
export const clusterValues = (labels: Labels): ClusterValues => read(CLUSTER_LABELS, labels)

/** What the labels of a node group say. */
export const groupValues = (labels: Labels): GroupValues => read(GROUP_LABELS, labels)

/** Every label that is read. */
export const ALL_RULES: Rules = { ...CLUSTER_LABELS, ...GROUP_LABELS }

/** One sentence for each label that can't be read. `whose`: "the cluster", "node group gpu". Labels of another infrastructure are not looked at. */
export const labelFaults = (
  labels: Labels,
  whose: string,
  infrastructure: Infrastructure | undefined,
  isAsked: (key: string) => boolean = () => true,
): string[] =>
  Object.entries(ALL_RULES).flatMap(([key, { schema, expected, on }]) => {
    const text = givenOf(labels, key)
    if (text === undefined || !isAsked(key) || (on !== undefined && on !== infrastructure)) return []
    return schema.safeParse(text).success ? [] : [`Label ${key} of ${whose} is ${quote(text)}; give ${expected}.`]
  })
