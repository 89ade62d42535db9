import { createHash, randomBytes } from 'node:crypto'
import type { PodFate } from '../behaviour.ts'
import { createInNamespace } from '../bootstrap.ts'
import { CLAIMS, claimSpec } from '../builtin/claim.ts'
import type { Cluster } from '../cluster.ts'
import type { ApiObject } from '../types.ts'
import { type Collection, type Condition, conditionsOf, patchStored, withCondition } from './patch-stored.ts'
import { podSecurityFault } from './pod-security.ts'
import { recordEvent } from './record-event.ts'

export const PODS = { group: '', plural: 'pods' } as const
export const TEMPLATE_HASH = 'pod-template-hash'

type Container = { name: string; image: string }
export type PodSpec = {
  containers: Container[]
  volumes?: {
    name: string
    persistentVolumeClaim?: { claimName: string }
    secret?: { secretName: string; optional?: boolean }
  }[]
}
export type WorkloadSpec = {
  replicas: number
  selector: { matchLabels?: Record<string, string> }
  template: { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }; spec: PodSpec }
}

export const workloadSpec = (workload: ApiObject): WorkloadSpec => workload.spec as WorkloadSpec

/** Ten characters that change with the pod template. */
export const templateHash = (workload: ApiObject): string =>
  createHash('sha256')
    .update(JSON.stringify(workloadSpec(workload).template))
    .digest('hex')
    .slice(0, 10)

export const ownedBy =
  (owner: ApiObject) =>
  (object: ApiObject): boolean =>
    (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid)

const ownerReference = ({ apiVersion, kind, metadata }: ApiObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export const randomSuffix = (): string => randomBytes(4).toString('hex').slice(0, 5)

/** Puts an object there that a controller owns. */
export const createOwned = (
  cluster: Cluster,
  collection: Collection,
  owner: ApiObject,
  {
    apiVersion = 'v1',
    kind,
    name,
    labels,
    fields,
  }: { apiVersion?: string; kind: string; name: string; labels: Record<string, string>; fields: object },
): ApiObject => {
  const identity = { apiVersion, kind, name, namespace: owner.metadata.namespace ?? '', labels }
  const made = createInNamespace(cluster, collection, identity, { ...fields })
  return patchStored(cluster, collection, made, {
    metadata: { ...made.metadata, ownerReferences: [ownerReference(owner)] },
  })
}

/** Why the API server does not admit a workload's pods; undefined when it does. */
export const refusalOf = (cluster: Cluster, workload: ApiObject): string | undefined => {
  const fate = cluster.behaviour.podFate(workload)
  if (fate.fate === 'refused') return fate.message
  return podSecurityFault(cluster, workload)
}

const unboundClaim = (cluster: Cluster, pod: ApiObject): PodFate | undefined => {
  const claims = ((pod.spec as PodSpec).volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  )
  for (const name of claims) {
    const claim = cluster.store.get(CLAIMS, name, pod.metadata.namespace)?.object
    if (claim === undefined)
      return { fate: 'unschedulable', message: `0/1 nodes are available: persistentvolumeclaim "${name}" not found.` }
    if (claimSpec(claim).volumeName === undefined) {
      return {
        fate: 'unschedulable',
        message: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
      }
    }
  }
  return undefined
}

const missingSecret = (cluster: Cluster, pod: ApiObject): PodFate | undefined => {
  const secrets = ((pod.spec as PodSpec).volumes ?? []).flatMap(({ secret }) =>
    secret === undefined || secret.optional ? [] : secret.secretName,
  )
  const missing = secrets.find(
    (name) => cluster.store.get({ group: '', plural: 'secrets' }, name, pod.metadata.namespace) === undefined,
  )
  return missing === undefined
    ? undefined
    : {
        fate: 'waiting',
        reason: 'ContainerCreating',
        message: `MountVolume.SetUp failed for volume: secret "${missing}" not found`,
      }
}

const fateOf = (cluster: Cluster, workload: ApiObject, pod: ApiObject): PodFate =>
  unboundClaim(cluster, pod) ?? missingSecret(cluster, pod) ?? cluster.behaviour.podFate(workload)

const READY_TYPES = ['Initialized', 'ContainersReady', 'Ready']

const statusOf = (cluster: Cluster, pod: ApiObject, fate: PodFate): object => {
  const now = cluster.timestamp()
  const isReady = fate.fate === 'ready'
  const set = (conditions: Condition[], type: string, ok: boolean, more = { reason: '', message: '' }): Condition[] =>
    withCondition(conditions, { type, status: ok ? 'True' : 'False', ...more }, now)
  const scheduled = fate.fate !== 'unschedulable' && fate.fate !== 'refused'
  const why = scheduled ? undefined : { reason: 'Unschedulable', message: fate.message }
  const notReady = isReady ? undefined : { reason: 'ContainersNotReady', message: 'containers are not ready' }
  const conditions = READY_TYPES.reduce(
    (seen, type) =>
      set(seen, type, isReady || (type === 'Initialized' && scheduled), type === 'Initialized' ? undefined : notReady),
    set(conditionsOf(pod), 'PodScheduled', scheduled, why),
  )
  const { containers } = pod.spec as PodSpec
  const state = containerState(fate, now)
  return {
    phase: isReady ? 'Running' : 'Pending',
    conditions,
    ...(scheduled ? { hostIP: '127.0.0.1', podIP: '127.0.0.1' } : {}),
    ...(state === undefined
      ? {}
      : {
          containerStatuses: containers.map(({ name, image }) => ({
            name,
            image,
            ready: isReady,
            restartCount: 0,
            state,
          })),
        }),
  }
}

const containerState = (fate: PodFate, now: string): object | undefined => {
  if (fate.fate === 'ready') return { running: { startedAt: now } }
  return fate.fate === 'waiting' ? { waiting: { reason: fate.reason, message: fate.message } } : undefined
}

const EVENT_OF: Readonly<Record<'waiting' | 'unschedulable', string>> = {
  waiting: 'Failed',
  unschedulable: 'FailedScheduling',
}

/** Brings a pod's status up to date with what becomes of it. */
export const settlePod = (cluster: Cluster, workload: ApiObject, pod: ApiObject): void => {
  const fate = fateOf(cluster, workload, pod)
  if (fate.fate === 'waiting' || fate.fate === 'unschedulable') {
    recordEvent(cluster, pod, { type: 'Warning', reason: EVENT_OF[fate.fate], message: fate.message })
  }
  if (fate.fate === 'ready' && isPodReady(pod)) return
  patchStored(cluster, PODS, pod, { status: statusOf(cluster, pod, fate) })
}

export const isPodReady = (pod: ApiObject): boolean =>
  conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True')
