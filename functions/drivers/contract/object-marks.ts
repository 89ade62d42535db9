import {
  isLabelValue,
  isQualifiedName,
  LABEL_VALUE_RULE,
  prefixOf,
  QUALIFIED_NAME_RULE,
} from '../../core/values/kubernetes.ts'
import { quote } from '../../core/values/wording.ts'
import type { KubernetesObject } from '../../kubernetes/client.ts'
import type { Properties, PropertyDescription } from './federation-driver-description.ts'

/** What an operator wants on every object that a driver makes, because their clusters demand it. */
export type Marks = {
  labels: Readonly<Record<string, string>>
  annotations: Readonly<Record<string, string>>
}

const LABELS = 'object-labels'
const ANNOTATIONS = 'object-annotations'

/** Properties of drivers that put them on what they make: `key=value` with commas between. */
export const MARK_PROPERTIES: readonly PropertyDescription[] = [
  {
    key: LABELS,
    description:
      'Labels for every object that is made in host and members, for example owner=platform,cost-center=42. A change is in force for what is made after it.',
    default: null,
  },
  {
    key: ANNOTATIONS,
    description: 'The same as annotations. A value has no comma in it.',
    default: null,
  },
]

type Pair = { key: string; value: string | undefined }

const pairsOf = (text: string): Pair[] =>
  text.split(',').flatMap((part) => {
    const [key = '', ...rest] = part.split('=')
    if (part.trim() === '') return []
    return [{ key: key.trim(), value: rest.length === 0 ? undefined : rest.join('=').trim() }]
  })

const mapOf = (text = ''): Record<string, string> =>
  Object.fromEntries(pairsOf(text).map(({ key, value = '' }) => [key, value]))

/** Of properties that `markFaults` finds good. */
export const marksOf = (properties: Properties): Marks => ({
  labels: mapOf(properties[LABELS]),
  annotations: mapOf(properties[ANNOTATIONS]),
})

/** By which objects are known as ours, and which others act on. */
const RESERVED = ['fedplane.io', 'kubernetes.io', 'k8s.io', 'karmada.io']

const isReserved = (key: string): boolean =>
  RESERVED.some((domain) => prefixOf(key) === domain || prefixOf(key).endsWith(`.${domain}`))

const faultOf = (property: string, { key, value }: Pair): string[] => {
  const where = `Property ${property}: ${quote(key)}`
  if (value === undefined) return [`${where} has no value; write key=value, with commas between.`]
  if (!isQualifiedName(key)) return [`${where} ${QUALIFIED_NAME_RULE}.`]
  if (isReserved(key)) return [`${where} is reserved: keys under ${RESERVED.join(', ')} are not taken.`]
  return property === LABELS && !isLabelValue(value) ? [`${where}: its value ${LABEL_VALUE_RULE}.`] : []
}

/** One sentence for each fault. */
export const markFaults = (properties: Properties): string[] =>
  [LABELS, ANNOTATIONS].flatMap((property) =>
    pairsOf(properties[property] ?? '').flatMap((pair) => faultOf(property, pair)),
  )

const isEmpty = (map: object): boolean => Object.keys(map).length === 0

/** The object with the marks; what it has of its own counts. */
export const marked = <T extends KubernetesObject>(object: T, marks: Marks | undefined): T => {
  if (marks === undefined || (isEmpty(marks.labels) && isEmpty(marks.annotations))) return object
  const { labels, annotations } = object.metadata
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...marks.labels, ...labels },
      ...(isEmpty(marks.annotations) ? {} : { annotations: { ...marks.annotations, ...annotations } }),
    },
  }
}
