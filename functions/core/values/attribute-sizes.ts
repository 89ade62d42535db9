/**
 * Bytes that a map or list which callers fill freely may have, as JSON in UTF-8: the only place for these numbers. DynamoDB takes 409,600 bytes for an
 * item and 4,194,304 for a transaction of at most 100 items.
 *
 * - A cluster: labels and its template's (32 KiB), reasons of its health (16; 40 of 100 nodes that a driver sees), tasks (200 KB, see `cluster-tasks.ts`) leave 120 KB for what drivers note. A
 *   registered one has no tasks that long, and room for an authority out of a kubeconfig of 256 KiB.
 * - A node group: 32 KiB, and about 4 KiB of other texts, so that a cluster and 99 of its groups are one transaction.
 *
 * Other texts are bounded by their fields (`api/body/fields.ts`), in characters.
 */
const BYTES_MAX = {
  /** As stored, after merging. */
  labels: 16 * 1024,
  node_labels: 8 * 1024,
  node_taints: 8 * 1024,
  health_status_reason: 16 * 1024,
  /** Of a federation. */
  properties: 64 * 1024,
} as const

export type SizedAttribute = keyof typeof BYTES_MAX

/** Bytes that the attribute may have. */
export const bytesMaxOf = (attribute: SizedAttribute): number => BYTES_MAX[attribute]

/** Bytes of a value as JSON in UTF-8, which is more than it takes in the database. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** True when the attribute may be stored so. */
export const isWithinSize = (attribute: SizedAttribute, value: unknown): boolean =>
  jsonBytes(value) <= BYTES_MAX[attribute]

type TextMap = Readonly<Record<string, string>>

/** What of a map may be stored: all of it, or as many of the smallest entries as fit. */
export const withinSize = (attribute: SizedAttribute, map: TextMap): TextMap => {
  if (isWithinSize(attribute, map)) return map
  const entries = Object.entries(map).sort(([, a], [, b]) => a.length - b.length)
  const kept: Record<string, string> = {}
  let bytes = 2
  for (const [key, value] of entries) {
    bytes += jsonBytes(key) + jsonBytes(value) + 2
    if (bytes > BYTES_MAX[attribute]) return kept
    kept[key] = value
  }
  return kept
}
