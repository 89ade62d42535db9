import type { Cluster } from '../cluster.ts'
import type { ApiObject } from '../types.ts'

export const CLAIMS = { group: '', plural: 'persistentvolumeclaims' } as const
export const STORAGE_CLASSES = { group: 'storage.k8s.io', plural: 'storageclasses' } as const

/** Keeps a claim while a pod uses it. */
export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

export type ClaimSpec = {
  storageClassName?: string
  volumeName?: string
  resources?: { requests?: { storage?: string } }
  [field: string]: unknown
}
export const claimSpec = (claim: ApiObject): ClaimSpec => (claim.spec ?? {}) as ClaimSpec

const defaultClass = (cluster: Cluster): string | undefined =>
  cluster.store.list(STORAGE_CLASSES).find(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true')?.metadata
    .name

/** A claim as the API server stores it: with the default class where it names none, and protected. */
export const admitClaim = (cluster: Cluster, object: ApiObject, before?: ApiObject): ApiObject => {
  const spec = claimSpec(object)
  const storageClassName = spec.storageClassName ?? (before === undefined ? defaultClass(cluster) : undefined)
  const { finalizers = [] } = object.metadata
  return {
    ...object,
    metadata:
      before === undefined
        ? { ...object.metadata, finalizers: [...new Set([...finalizers, CLAIM_FINALIZER])] }
        : object.metadata,
    spec: { volumeMode: 'Filesystem', ...spec, ...(storageClassName === undefined ? {} : { storageClassName }) },
    status: object.status ?? { phase: 'Pending' },
  }
}
