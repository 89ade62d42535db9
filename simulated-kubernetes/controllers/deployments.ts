import type { Cluster } from '../cluster.ts'
import { startDeletion } from '../deletion.ts'
import type { ApiObject } from '../types.ts'
import { type Condition, conditionsOf, patchStored, withCondition } from './patch-stored.ts'
import {
  createOwned,
  isPodReady,
  ownedBy,
  PODS,
  randomSuffix,
  refusalOf,
  settlePod,
  TEMPLATE_HASH,
  templateHash,
  workloadSpec,
} from './pods.ts'
import { recordEvent } from './record-event.ts'

const DEPLOYMENTS = { group: 'apps', plural: 'deployments' } as const
const REPLICA_SETS = { group: 'apps', plural: 'replicasets' } as const

const ensureReplicaSet = (cluster: Cluster, deployment: ApiObject): ApiObject => {
  const hash = templateHash(deployment)
  const { name, namespace } = deployment.metadata
  const found = cluster.store.get(REPLICA_SETS, `${name}-${hash}`, namespace)?.object
  if (found !== undefined) return found
  const { replicas, selector, template } = workloadSpec(deployment)
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash }
  const fields = { spec: { replicas, selector, template }, status: {} }
  return createOwned(cluster, REPLICA_SETS, deployment, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: `${name}-${hash}`,
    labels,
    fields,
  })
}

const podsOf = (cluster: Cluster, owner: ApiObject): ApiObject[] =>
  cluster.store.list(PODS, owner.metadata.namespace).filter(ownedBy(owner))

const scale = (cluster: Cluster, deployment: ApiObject, set: ApiObject): void => {
  const { replicas, template } = workloadSpec(deployment)
  const pods = podsOf(cluster, set)
  for (const pod of pods.slice(replicas)) startDeletion(cluster, PODS, pod)
  for (let missing = replicas - pods.length; missing > 0; missing -= 1) {
    createOwned(cluster, PODS, set, {
      kind: 'Pod',
      name: `${set.metadata.name}-${randomSuffix()}`,
      labels: set.metadata.labels ?? {},
      fields: { spec: template.spec, status: { phase: 'Pending' } },
    })
  }
}

const removeOlder = (cluster: Cluster, deployment: ApiObject, current: ApiObject): void => {
  for (const set of cluster.store.list(REPLICA_SETS, deployment.metadata.namespace).filter(ownedBy(deployment))) {
    if (set.metadata.uid === current.metadata.uid) continue
    for (const pod of podsOf(cluster, set)) startDeletion(cluster, PODS, pod)
    cluster.store.remove(REPLICA_SETS, set.metadata.name, set.metadata.namespace)
  }
}

const countsOf = (cluster: Cluster, deployment: ApiObject, updated: readonly ApiObject[]) => {
  const sets = cluster.store.list(REPLICA_SETS, deployment.metadata.namespace).filter(ownedBy(deployment))
  const all = sets.flatMap((set) => podsOf(cluster, set))
  const ready = all.filter(isPodReady).length
  const { replicas } = workloadSpec(deployment)
  return {
    ...(all.length > 0 ? { replicas: all.length } : {}),
    ...(updated.length > 0 ? { updatedReplicas: updated.length } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    ...(replicas > ready ? { unavailableReplicas: replicas - ready } : {}),
  }
}

const conditionsNow = (
  cluster: Cluster,
  deployment: ApiObject,
  ready: number,
  refusal: string | undefined,
): Condition[] => {
  const now = cluster.timestamp()
  const isAvailable = ready >= workloadSpec(deployment).replicas
  const available = isAvailable
    ? {
        type: 'Available',
        status: 'True' as const,
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False' as const,
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }
  const failure = { type: 'ReplicaFailure', status: 'True' as const, reason: 'FailedCreate', message: refusal ?? '' }
  const rest = conditionsOf(deployment).filter(({ type }) => type !== 'ReplicaFailure')
  const seen = withCondition(rest, available, now)
  return refusal === undefined ? seen : withCondition(seen, failure, now)
}

const observe = (cluster: Cluster, deployment: ApiObject, set: ApiObject, refusal: string | undefined): void => {
  const updated = podsOf(cluster, set)
  const counts = countsOf(cluster, deployment, updated)
  const conditions = conditionsNow(cluster, deployment, counts.availableReplicas ?? 0, refusal)
  const status = { observedGeneration: deployment.metadata.generation, ...counts, conditions }
  patchStored(cluster, DEPLOYMENTS, deployment, { status })
}

/** Makes a Deployment's pods through a ReplicaSet, replaces those of an older template when the new ones are ready, and counts. */
export const deploymentController = (cluster: Cluster): void => {
  for (const deployment of cluster.store.list(DEPLOYMENTS)) {
    if (deployment.metadata.deletionTimestamp !== undefined) continue
    const set = ensureReplicaSet(cluster, deployment)
    const refusal = refusalOf(cluster, deployment)
    if (refusal === undefined) scale(cluster, deployment, set)
    else recordEvent(cluster, set, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${refusal}` })
    const pods = podsOf(cluster, set)
    for (const pod of pods) settlePod(cluster, deployment, pod)
    const ready = podsOf(cluster, set).filter(isPodReady).length
    if (ready >= workloadSpec(deployment).replicas) removeOlder(cluster, deployment, set)
    observe(cluster, deployment, set, refusal)
  }
}
