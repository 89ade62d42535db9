import { randomBytes, randomUUID } from 'node:crypto'
import type { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import { patchStored } from '../../../simulated-kubernetes/controllers/patch-stored.ts'
import { finishDeletion } from '../../../simulated-kubernetes/deletion.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'

const GROUP = 'cluster.x-k8s.io'
export const CLUSTERS = { group: GROUP, plural: 'clusters' } as const
export const CLASSES = { group: GROUP, plural: 'clusterclasses' } as const
export const DEPLOYMENTS = { group: GROUP, plural: 'machinedeployments' } as const
export const MACHINES = { group: GROUP, plural: 'machines' } as const
export const CONTROL_PLANES = { group: 'controlplane.cluster.x-k8s.io', plural: 'kubeadmcontrolplanes' } as const
export const SECRETS = { group: '', plural: 'secrets' } as const
export type Kind = { group: string; plural: string }

export const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name'
export const DEPLOYMENT_NAME = 'topology.cluster.x-k8s.io/deployment-name'
export const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane'
export const DELETE_MACHINE = 'cluster.x-k8s.io/delete-machine'
export const DEFER_UPGRADE = 'topology.cluster.x-k8s.io/defer-upgrade'

export type Entry = {
  name: string
  replicas?: number
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
}
export type ClusterSpec = {
  controlPlaneEndpoint?: { host: string; port: number }
  topology: {
    classRef: { name: string; namespace?: string }
    version: string
    controlPlane?: { replicas?: number }
    variables?: { name: string; value: unknown }[]
    workers?: { machineDeployments?: Entry[] }
  }
}
/** `machineTemplate`: stands for the template of its machines, of which others have to be replaced. */
export type MakerSpec = { replicas: number; version: string; machineTemplate?: string }
export type MachineSpec = { version: string; machineTemplate?: string; providerID?: string }

export const specOf = <T>({ spec }: ApiObject): T => spec as T
export const statusOf = <T>({ status }: ApiObject): Partial<T> => (status ?? {}) as Partial<T>

/** The class of a cluster, in its own namespace when it names none. */
export const classOf = (store: Store, cluster: ApiObject): ApiObject | undefined => {
  const { classRef } = specOf<ClusterSpec>(cluster).topology
  return store.store.get(CLASSES, classRef.name, classRef.namespace ?? cluster.metadata.namespace)?.object
}

/** True when its controller has seen it. */
export const isClassKnown = (found: ApiObject): boolean =>
  (statusOf<{ conditions: { type: string; status: string }[] }>(found).conditions ?? []).some(
    ({ type, status }) => type === 'VariablesReady' && status === 'True',
  )

export const isLeaving = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

/** Five characters, as in the names that controllers make. */
export const suffix = (): string => randomBytes(4).toString('hex').slice(0, 5)

export const ofCluster = (store: Store, kind: Kind, cluster: ApiObject): ApiObject[] =>
  store.store
    .list(kind, cluster.metadata.namespace)
    .filter(({ metadata }) => metadata.labels?.[CLUSTER_NAME] === cluster.metadata.name)

export type Made = {
  apiVersion: string
  kind: string
  name: string
  labels?: Record<string, string>
  finalizer?: string
  fields?: Record<string, unknown>
}

/** Puts an object there that a controller owns. */
export const make = (
  store: Store,
  kind: Kind,
  { owner, cluster }: { owner: ApiObject; cluster: ApiObject },
  made: Made,
): ApiObject => {
  const { apiVersion, name, labels = {}, finalizer, fields = {} } = made
  const metadata = {
    name,
    namespace: cluster.metadata.namespace ?? '',
    labels: { ...labels, [CLUSTER_NAME]: cluster.metadata.name },
    uid: randomUUID(),
    generation: 1,
    creationTimestamp: store.timestamp(),
    ownerReferences: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: owner.metadata.name,
        uid: owner.metadata.uid,
        controller: true,
      },
    ],
    ...(finalizer === undefined ? {} : { finalizers: [finalizer] }),
  }
  return store.store.put(kind, { object: { apiVersion, kind: made.kind, metadata, ...fields }, ownership: new Map() })
}

/** Changes what is wanted of an object, as a controller does: its generation counts that. */
export const respec = (store: Store, kind: Kind, object: ApiObject, spec: Record<string, unknown>): ApiObject => {
  const next = { ...(object.spec as Record<string, unknown>), ...spec }
  if (JSON.stringify(next) === JSON.stringify(object.spec)) return object
  const { generation = 1 } = object.metadata
  return patchStored(store, kind, object, { spec: next, metadata: { ...object.metadata, generation: generation + 1 } })
}

export const dropFinalizers = (store: Store, kind: Kind, object: ApiObject): void => {
  const { finalizers: _gone, ...metadata } = object.metadata
  finishDeletion(store, kind, patchStored(store, kind, object, { metadata }))
}

type Told = { type: string; status: boolean | 'Unknown'; reason?: string; message?: string }

/** Status of an object whose controller has seen it as it is now. Transition times stay while a condition does. */
export const report = (
  store: Store,
  kind: Kind,
  object: ApiObject,
  { conditions, ...counters }: { conditions: readonly Told[] } & Record<string, unknown>,
): ApiObject => {
  const before = statusOf<{ conditions: { type: string; status: string; lastTransitionTime: string }[] }>(object)
  const { generation } = object.metadata
  const told = conditions.map(({ type, status, reason, message = '' }) => {
    const value = typeof status === 'boolean' ? (status ? 'True' : 'False') : status
    const last = before.conditions?.find((condition) => condition.type === type)
    return {
      type,
      status: value,
      reason: reason ?? type,
      message,
      observedGeneration: generation,
      lastTransitionTime: last?.status === value ? last.lastTransitionTime : store.timestamp(),
    }
  })
  return patchStored(store, kind, object, { status: { observedGeneration: generation, ...counters, conditions: told } })
}
