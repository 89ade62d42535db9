import { CLAIM_FINALIZER, CLAIMS, claimSpec, STORAGE_CLASSES } from '../builtin/claim.ts'
import type { Cluster } from '../cluster.ts'
import { finishDeletion } from '../deletion.ts'
import type { ApiObject } from '../types.ts'
import { patchStored } from './patch-stored.ts'
import { PODS } from './pods.ts'
import { recordEvent } from './record-event.ts'

type PodSpec = { volumes?: { persistentVolumeClaim?: { claimName: string } }[] }

const isUsed = (cluster: Cluster, claim: ApiObject): boolean =>
  cluster.store
    .list(PODS, claim.metadata.namespace)
    .some((pod) =>
      ((pod.spec as PodSpec).volumes ?? []).some(
        ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim.metadata.name,
      ),
    )

const release = (cluster: Cluster, claim: ApiObject): void => {
  if (isUsed(cluster, claim)) return
  const finalizers = (claim.metadata.finalizers ?? []).filter((name) => name !== CLAIM_FINALIZER)
  const metadata = { ...claim.metadata, finalizers }
  finishDeletion(cluster, CLAIMS, patchStored(cluster, CLAIMS, claim, { metadata }))
}

const volumeFor = (cluster: Cluster, claim: ApiObject): void => {
  const spec = claimSpec(claim)
  const capacity = { storage: spec.resources?.requests?.storage }
  patchStored(cluster, CLAIMS, claim, {
    spec: { ...spec, volumeName: `pvc-${claim.metadata.uid}` },
    status: { phase: 'Bound', accessModes: spec.accessModes, capacity },
  })
}

type Wait = { reason: string; message: string }

const waitForClass = (cluster: Cluster, claim: ApiObject, storageClass: ApiObject): Wait | undefined => {
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !isUsed(cluster, claim)) {
    return { reason: 'WaitForFirstConsumer', message: 'waiting for first consumer to be created before binding' }
  }
  if (cluster.behaviour.provisioner) return undefined
  const message = `Waiting for a volume to be created either by the external provisioner '${String(storageClass.provisioner)}' or manually by the system administrator.`
  return { reason: 'ExternalProvisioning', message }
}

/** Why a claim is not bound yet; undefined when a volume can be made. */
const waitOf = (cluster: Cluster, claim: ApiObject): Wait | undefined => {
  const { storageClassName = '' } = claimSpec(claim)
  if (storageClassName === '') {
    const message = 'no persistent volumes available for this claim and no storage class is set'
    return { reason: 'FailedBinding', message }
  }
  const storageClass = cluster.store.get(STORAGE_CLASSES, storageClassName)?.object
  if (storageClass !== undefined) return waitForClass(cluster, claim, storageClass)
  return { reason: 'ProvisioningFailed', message: `storageclass.storage.k8s.io "${storageClassName}" not found` }
}

const bind = (cluster: Cluster, claim: ApiObject): void => {
  if (claimSpec(claim).volumeName !== undefined) return
  const wait = waitOf(cluster, claim)
  if (wait === undefined) volumeFor(cluster, claim)
  else recordEvent(cluster, claim, { type: wait.reason === 'ProvisioningFailed' ? 'Warning' : 'Normal', ...wait })
}

/** Binds claims to volumes, of which only the name exists, and lets deleted ones go when no pod uses them. */
export const claimController = (cluster: Cluster): void => {
  for (const claim of cluster.store.list(CLAIMS)) {
    if (claim.metadata.deletionTimestamp === undefined) bind(cluster, claim)
    else release(cluster, claim)
  }
}
