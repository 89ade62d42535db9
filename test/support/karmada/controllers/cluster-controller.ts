import type { InProcessClient } from '../in-process-client.ts'
import {
  CLUSTER_FINALIZER,
  CLUSTERS_PATH,
  executionSpace,
  isDeleting,
  isReady,
  type KarmadaCluster,
  SYSTEM_LABEL,
  withoutFinalizer,
} from './karmada-cluster.ts'

const NOT_READY = { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' }

const ensureExecutionSpace = (api: InProcessClient, cluster: KarmadaCluster): void => {
  const name = executionSpace(cluster.metadata.name)
  if (api.get(`/api/v1/namespaces/${name}`) !== undefined) return
  api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: SYSTEM_LABEL } })
}

const taint = (api: InProcessClient, cluster: KarmadaCluster): void => {
  const { taints = [] } = cluster.spec
  const has = taints.some(({ key }) => key === NOT_READY.key)
  const wants = !isReady(cluster)
  if (has === wants) return
  const next = wants ? [...taints, NOT_READY] : taints.filter(({ key }) => key !== NOT_READY.key)
  api.patch(`${CLUSTERS_PATH}/${cluster.metadata.name}`, { spec: { taints: next } })
}

const ensureFinalizer = (api: InProcessClient, { metadata }: KarmadaCluster): void => {
  const { finalizers = [] } = metadata
  if (finalizers.includes(CLUSTER_FINALIZER)) return
  api.patch(`${CLUSTERS_PATH}/${metadata.name}`, { metadata: { finalizers: [...finalizers, CLUSTER_FINALIZER] } })
}

type Binding = { spec?: { clusters?: { name: string }[] } }

const isBound = (api: InProcessClient, cluster: string): boolean =>
  ['resourcebindings', 'clusterresourcebindings']
    .flatMap((plural) => api.list(`/apis/work.karmada.io/v1alpha2/${plural}`) as Binding[])
    .some(({ spec }) => (spec?.clusters ?? []).some(({ name }) => name === cluster))

const remove = (api: InProcessClient, cluster: KarmadaCluster): void => {
  const { name, finalizers = [] } = cluster.metadata
  const space = `/api/v1/namespaces/${executionSpace(name)}`
  const found = api.get(space)
  if (found !== undefined && !isDeleting(found)) api.delete(space)
  if (api.get(space) !== undefined || isBound(api, name) || !finalizers.includes(CLUSTER_FINALIZER)) return
  api.patch(`${CLUSTERS_PATH}/${name}`, withoutFinalizer(cluster, CLUSTER_FINALIZER))
}

/** Namespace for the Works of each Cluster, taint and finalizer; and their end (federation-control-planes.md 2.2, 2.4). */
export const clusterController = (api: InProcessClient, cluster: KarmadaCluster): void => {
  if (isDeleting(cluster)) {
    remove(api, cluster)
    return
  }
  ensureExecutionSpace(api, cluster)
  taint(api, cluster)
  ensureFinalizer(api, cluster)
}
