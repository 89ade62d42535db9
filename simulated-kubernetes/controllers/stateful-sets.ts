import { createInNamespace } from '../bootstrap.ts'
import { admitClaim, CLAIMS } from '../builtin/claim.ts'
import type { Cluster } from '../cluster.ts'
import { startDeletion } from '../deletion.ts'
import type { ApiObject } from '../types.ts'
import { patchStored } from './patch-stored.ts'
import {
  createOwned,
  isPodReady,
  ownedBy,
  PODS,
  refusalOf,
  settlePod,
  templateHash,
  type WorkloadSpec,
  workloadSpec,
} from './pods.ts'
import { recordEvent } from './record-event.ts'

const STATEFUL_SETS = { group: 'apps', plural: 'statefulsets' } as const
const REVISION = 'controller-revision-hash'

type ClaimTemplate = { metadata: { name: string; labels?: Record<string, string> }; spec: object }
type StatefulSetSpec = WorkloadSpec & { volumeClaimTemplates?: ClaimTemplate[]; podManagementPolicy?: string }
const specOf = (set: ApiObject): StatefulSetSpec => workloadSpec(set) as StatefulSetSpec

const ensureClaims = (cluster: Cluster, set: ApiObject, ordinal: number): { name: string; claimName: string }[] => {
  const { name, namespace = '' } = set.metadata
  return (specOf(set).volumeClaimTemplates ?? []).map(({ metadata, spec }) => {
    const claimName = `${metadata.name}-${name}-${ordinal}`
    if (cluster.store.get(CLAIMS, claimName, namespace) === undefined) {
      const labels = { ...metadata.labels, ...specOf(set).selector.matchLabels }
      const identity = { kind: 'PersistentVolumeClaim', name: claimName, namespace, labels }
      const made = createInNamespace(cluster, CLAIMS, identity, { spec })
      const { metadata: next, spec: filled, status } = admitClaim(cluster, made)
      patchStored(cluster, CLAIMS, made, { metadata: next, spec: filled, status })
    }
    return { name: metadata.name, claimName }
  })
}

const revisionOf = (set: ApiObject): string => `${set.metadata.name}-${templateHash(set)}`

const podOf = (cluster: Cluster, set: ApiObject, ordinal: number): ApiObject => {
  const claims = ensureClaims(cluster, set, ordinal)
  const name = `${set.metadata.name}-${ordinal}`
  const { template } = specOf(set)
  const labels = {
    ...template.metadata?.labels,
    'statefulset.kubernetes.io/pod-name': name,
    [REVISION]: revisionOf(set),
  }
  const volumes = [
    ...(template.spec.volumes ?? []),
    ...claims.map(({ name: volume, claimName }) => ({ name: volume, persistentVolumeClaim: { claimName } })),
  ]
  const fields = { spec: { ...template.spec, hostname: name, volumes }, status: { phase: 'Pending' } }
  return createOwned(cluster, PODS, set, { kind: 'Pod', name, labels, fields })
}

const podsOf = (cluster: Cluster, set: ApiObject): ApiObject[] =>
  cluster.store.list(PODS, set.metadata.namespace).filter(ownedBy(set))

const isCurrent = (set: ApiObject, pod: ApiObject): boolean => pod.metadata.labels?.[REVISION] === revisionOf(set)

const removeSurplus = (cluster: Cluster, set: ApiObject): void => {
  const wanted = new Set(Array.from({ length: specOf(set).replicas }, (_, index) => `${set.metadata.name}-${index}`))
  for (const pod of podsOf(cluster, set)) {
    if (!wanted.has(pod.metadata.name) || !isCurrent(set, pod)) startDeletion(cluster, PODS, pod)
  }
}

/** In order, unless the set says Parallel: the next pod comes when the one before it is ready. */
const fill = (cluster: Cluster, set: ApiObject): void => {
  const { replicas, podManagementPolicy } = specOf(set)
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const name = `${set.metadata.name}-${ordinal}`
    const pod = cluster.store.get(PODS, name, set.metadata.namespace)?.object ?? podOf(cluster, set, ordinal)
    if (podManagementPolicy !== 'Parallel' && !isPodReady(pod)) return
  }
}

const observe = (cluster: Cluster, set: ApiObject): void => {
  const pods = podsOf(cluster, set)
  const ready = pods.filter(isPodReady).length
  const updated = pods.filter((pod) => isCurrent(set, pod)).length
  const revision = revisionOf(set)
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: updated,
    updatedReplicas: updated,
    currentRevision: revision,
    updateRevision: revision,
  }
  patchStored(cluster, STATEFUL_SETS, set, { status })
}

/** Makes a StatefulSet's claims and pods, replaces all pods of an older template at once, and counts. */
export const statefulSetController = (cluster: Cluster): void => {
  for (const set of cluster.store.list(STATEFUL_SETS)) {
    if (set.metadata.deletionTimestamp !== undefined) continue
    removeSurplus(cluster, set)
    const refusal = refusalOf(cluster, set)
    if (refusal === undefined) fill(cluster, set)
    else
      recordEvent(cluster, set, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `create Pod ${set.metadata.name}-0 in StatefulSet ${set.metadata.name} failed error: ${refusal}`,
      })
    for (const pod of podsOf(cluster, set)) settlePod(cluster, set, pod)
    observe(cluster, set)
  }
}
