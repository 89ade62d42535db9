import * as z from 'zod'
import type { KubernetesObject, ObjectList, ServerVersion } from './client.ts'

/** Characters of a message of a cluster that are kept: it may come into a status, and is stored. Kubernetes takes 32,768 in a condition. */
const MESSAGE_MAX = 1024
/** Characters of a reason, a type or a version; Kubernetes takes 1,024 of a reason. */
const WORD_MAX = 253
/** Conditions of one object. A node has 5, a Cluster of Cluster API 20. */
const CONDITIONS_MAX = 50

const MESSAGES = new Set(['message', 'note', 'failureMessage', 'terminationMessage'])
const WORDS = new Set(['reason', 'type', 'failureReason', 'phase', 'version', 'kubernetesVersion', 'kubeletVersion'])

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxOf = (key: string): number | undefined => {
  if (MESSAGES.has(key)) return MESSAGE_MAX
  return WORDS.has(key) ? WORD_MAX : undefined
}

const cutField = (record: Record<string, unknown>, key: string): void => {
  const value = record[key]
  const max = maxOf(key)
  if (typeof value === 'string' && max !== undefined) record[key] = cut(value, max)
  if (key === 'conditions' && Array.isArray(value)) record[key] = value.slice(0, CONDITIONS_MAX)
}

/** Levels are bounded by `boundedJson`. */
const cutBelow = (value: unknown): void => {
  if (Array.isArray(value)) value.forEach(cutBelow)
  if (!isRecord(value)) return
  for (const key of Object.keys(value)) {
    cutField(value, key)
    cutBelow(value[key])
  }
}

/**
 * Cuts what a cluster tells people: conditions, reasons, messages and versions below `status`, and those of an Event. Changes the object, which is just parsed,
 * and nothing that we or its owner would write back.
 */
const cutTexts = (object: KubernetesObject): KubernetesObject => {
  for (const key of ['message', 'note', 'reason']) cutField(object, key)
  cutBelow(object.status)
  return object
}

/** Characters: names and label keys have 253 at most, a uid has 36. What is longer is nothing that Kubernetes makes, and would be stored. */
const NAME_MAX = 512
const UID_MAX = 128
const KIND_MAX = 253
/** Items of lists in metadata. */
const FINALIZERS_MAX = 100
/** Characters of a token that asks for the next page: etcd's keys and a revision. */
const CONTINUE_MAX = 16 * 1024

const name = z.string().max(NAME_MAX)
const kind = z.string().max(KIND_MAX)
/** A moment as ISO-8601; null where Go writes an empty one. */
const moment = z
  .string()
  .max(64)
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .nullable()

const texts = z.record(z.string(), z.string()).nullable()

const Metadata = z.looseObject({
  name: name.optional(),
  namespace: name.optional(),
  uid: z.string().max(UID_MAX).optional(),
  resourceVersion: z.string().max(UID_MAX).optional(),
  labels: texts.optional(),
  annotations: texts.optional(),
  creationTimestamp: moment.optional(),
  deletionTimestamp: moment.optional(),
  finalizers: z.array(name).max(FINALIZERS_MAX).nullable().optional(),
})

/** The least that makes an answer of the API one of Kubernetes; the rest is kept as it is. */
const AnyObject = z.looseObject({ apiVersion: kind, kind, metadata: Metadata.nullable().optional() })
/** What is stored has a name besides. */
const Stored = z.looseObject({ metadata: Metadata.extend({ name }) })

const ListMetadata = z
  .looseObject({ continue: z.string().max(CONTINUE_MAX).nullish() })
  .nullish()
  .transform((metadata) => metadata?.continue ?? '')

const List = z.looseObject({
  apiVersion: kind,
  kind: kind.endsWith('List'),
  metadata: ListMetadata,
  // Go writes an empty list as null.
  items: z
    .array(Stored)
    .nullable()
    .transform((items) => items ?? []),
})

/** `meta.k8s.io/v1 Table`, what we use of it. */
const Table = z.object({
  kind: z.literal('Table'),
  metadata: ListMetadata,
  columnDefinitions: z.array(z.object({ name })),
  rows: z
    .array(z.object({ cells: z.array(z.unknown()) }))
    .nullable()
    .transform((rows) => rows ?? []),
})
type Table = z.infer<typeof Table>

/** Undefined for what no API server answers. Texts that people read are cut. */
export const objectIn = (json: unknown): KubernetesObject | undefined => {
  const { data } = AnyObject.safeParse(json)
  return data && cutTexts(data as KubernetesObject)
}

/** As `objectIn`, of an object that is stored and so has a name. */
export const storedObjectIn = (json: unknown): KubernetesObject | undefined =>
  Stored.safeParse(json).success ? objectIn(json) : undefined

const rowsOf = ({ columnDefinitions, rows }: Table): KubernetesObject[] | undefined => {
  const items = rows.map(({ cells }) => {
    const named = Object.fromEntries(columnDefinitions.map((column, index) => [column.name, cells[index]]))
    return { apiVersion: 'meta.k8s.io/v1', kind: 'TableRow', metadata: { name: named.Name }, cells: named }
  })
  return items.every((item) => Stored.safeParse(item).success) ? (items as KubernetesObject[]) : undefined
}

const pageOf = (items: KubernetesObject[], next: string): ObjectList => ({
  items,
  ...(next === '' ? {} : { continue: next }),
})

const tableIn = (json: unknown): ObjectList | undefined => {
  const table = Table.safeParse(json)
  const items = table.success ? rowsOf(table.data) : undefined
  return items && pageOf(items, table.data?.metadata ?? '')
}

/** One page of a list or of a table; undefined for what no API server answers. */
export const listIn = (json: unknown): ObjectList | undefined => {
  const list = List.safeParse(json)
  if (!list.success) return tableIn(json)
  const { apiVersion, kind: listKind, metadata, items } = list.data
  // Items of built-in kinds come without apiVersion and kind.
  const named = items.map((item) =>
    cutTexts({ apiVersion, kind: listKind.slice(0, -'List'.length), ...item } as KubernetesObject),
  )
  return pageOf(named, metadata)
}

type ParsedVersion = ServerVersion & {
  /** Null when it can't be read. */
  patch: number | null
}

/** Characters of a version that are kept: it is stored, and the server may tell anything. */
const TEXT_MAX = 255

const GIT_VERSION = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?![\d.])/

/**
 * Numbers out of the answer of `GET /version`: from `gitVersion`, else from `major` and `minor` (which may end in `+`). Unknown is null;
 * never throws, whatever the answer is (cases/SV-07).
 */
export const parseVersion = (body: unknown): ParsedVersion => {
  const { gitVersion, major, minor } =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const text = typeof gitVersion === 'string' ? gitVersion.slice(0, TEXT_MAX) : ''
  const [, gitMajor, gitMinor, gitPatch] = GIT_VERSION.exec(text) ?? []
  if (gitMajor !== undefined && gitMinor !== undefined) {
    return { gitVersion: text, major: Number(gitMajor), minor: Number(gitMinor), patch: numberOf(gitPatch) }
  }
  const [fieldMajor, fieldMinor] = [numberOf(major), numberOf(minor)]
  const known = fieldMajor !== null && fieldMinor !== null
  return { gitVersion: text, major: known ? fieldMajor : null, minor: known ? fieldMinor : null, patch: null }
}

const numberOf = (text: unknown): number | null => {
  const digits = typeof text === 'string' ? /^(\d{1,6})\+?$/.exec(text)?.[1] : undefined
  return digits === undefined ? null : Number(digits)
}
