import type { Cluster } from '../cluster.ts'
import { isEqual } from '../objects.ts'
import type { ApiObject } from '../types.ts'

export type Collection = { group: string; plural: string }

/** Changes an object as a controller does: past admission, without taking ownership of fields. Nothing is written when nothing changes. */
export const patchStored = (
  cluster: Cluster,
  collection: Collection,
  object: ApiObject,
  fields: Partial<ApiObject>,
): ApiObject => {
  const { name, namespace } = object.metadata
  if (Object.entries(fields).every(([key, value]) => isEqual(value, object[key]))) return object
  const ownership = cluster.store.get(collection, name, namespace)?.ownership ?? new Map()
  return cluster.store.put(collection, { object: { ...object, ...fields } as ApiObject, ownership })
}

export type Condition = {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  lastTransitionTime: string
}

/** Conditions with one replaced; its transition time stays while its status does. */
export const withCondition = (
  conditions: readonly Condition[],
  next: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] => {
  const before = conditions.find(({ type }) => type === next.type)
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : now
  return [...conditions.filter(({ type }) => type !== next.type), { ...next, lastTransitionTime }]
}

export const conditionsOf = ({ status }: ApiObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? []
