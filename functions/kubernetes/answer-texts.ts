import type { KubernetesObject } from './client.ts'

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
export const cutTexts = (object: KubernetesObject): KubernetesObject => {
  for (const key of ['message', 'note', 'reason']) cutField(object, key)
  cutBelow(object.status)
  return object
}
