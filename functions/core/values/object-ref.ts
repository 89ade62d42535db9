/** Whose API has an object: the host's, a member's, or that of a control plane which runs in the host. */
export const PLACES = ['host', 'control-plane', 'member'] as const
export type Place = (typeof PLACES)[number]

/** In words: `the control plane`. */
export const describePlace = (where: Place): string => `the ${where.replace('-', ' ')}`

/** A Kubernetes object that a flow made, written down after it acted, so that undo and unjoin find it again. */
export type ObjectRef = {
  where: Place
  apiVersion: string
  kind: string
  /** Empty for cluster-scoped objects. */
  namespace: string
  name: string
  uid: string
}

const keyOf = (ref: ObjectRef): string => [ref.where, ref.apiVersion, ref.kind, ref.namespace, ref.name].join('|')

/** Adds to a list what it lacks; a newer uid of the same object replaces the older. */
export const mergeObjectRefs = (before: readonly ObjectRef[], more: readonly ObjectRef[]): ObjectRef[] => [
  ...new Map([...before, ...more].map((ref) => [keyOf(ref), ref])).values(),
]

/** What is left of a list without these, whatever their uids. */
export const withoutObjectRefs = (before: readonly ObjectRef[], gone: readonly ObjectRef[]): ObjectRef[] => {
  const keys = new Set(gone.map(keyOf))
  return before.filter((ref) => !keys.has(keyOf(ref)))
}

/** `ServiceAccount fedplane-1a2b/fedplane-1a2b in the member`: for messages and lists of leftovers. */
export const describeObject = (ref: ObjectRef): string =>
  `${ref.kind} ${ref.namespace === '' ? '' : `${ref.namespace}/`}${ref.name} in ${describePlace(ref.where)}`
