import type { Cluster } from './cluster.ts'
import { CRDS } from './resource-types.ts'
import type { ApiObject } from './types.ts'

type Collection = { group: string; plural: string }

/** Keeps a CustomResourceDefinition until its custom resources are gone. */
export const CRD_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

const isNamespace = ({ group, plural }: Collection): boolean => group === '' && plural === 'namespaces'
const isCrd = ({ group, plural }: Collection): boolean => group === CRDS.group && plural === CRDS.plural

/** Finalizers that hold an object: for a Namespace those of its spec too. */
const holders = (collection: Collection, object: ApiObject): string[] => {
  const { finalizers: inSpec = [] } = isNamespace(collection) ? ((object.spec ?? {}) as { finalizers?: string[] }) : {}
  return [...(object.metadata.finalizers ?? []), ...inSpec]
}

const terminating = (collection: Collection, object: ApiObject, timestamp: string): ApiObject => {
  const { generation } = object.metadata
  const finalizers = isCrd(collection)
    ? [...new Set([...(object.metadata.finalizers ?? []), CRD_FINALIZER])]
    : object.metadata.finalizers
  return {
    ...object,
    ...(isNamespace(collection) ? { status: { phase: 'Terminating' } } : {}),
    metadata: {
      ...object.metadata,
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(generation === undefined || isCrd(collection) ? {} : { generation: generation + 1 }),
      deletionTimestamp: timestamp,
      ...(isNamespace(collection) ? {} : { deletionGracePeriodSeconds: 0 }),
    },
  }
}

/** Starts a deletion: removes at once what nothing holds, but namespaces and definitions, which are marked first. Returns the object as it stays, or undefined when it went. */
export const startDeletion = (cluster: Cluster, collection: Collection, object: ApiObject): ApiObject | undefined => {
  const { name, namespace, deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) return object
  if (holders(collection, object).length === 0 && !isCrd(collection) && !isNamespace(collection)) {
    cluster.store.remove(collection, name, namespace)
    return undefined
  }
  const ownership = cluster.store.get(collection, name, namespace)?.ownership ?? new Map()
  return cluster.store.put(collection, { object: terminating(collection, object, cluster.timestamp()), ownership })
}

/** Removes an object under deletion that nothing holds any more. True when it went. */
export const finishDeletion = (cluster: Cluster, collection: Collection, object: ApiObject): boolean => {
  const { name, namespace, deletionTimestamp } = object.metadata
  if (deletionTimestamp === undefined || holders(collection, object).length > 0) return false
  cluster.store.remove(collection, name, namespace)
  return true
}
