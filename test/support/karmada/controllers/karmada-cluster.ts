import type { ApiObject } from '../../../../simulated-kubernetes/types.ts'

export const CLUSTERS_PATH = '/apis/cluster.karmada.io/v1alpha1/clusters'
export const WORKS_GROUP = '/apis/work.karmada.io/v1alpha1'
export const CLUSTER_FINALIZER = 'karmada.io/cluster-controller'
export const WORK_FINALIZER = 'karmada.io/execution-controller'
export const SYSTEM_LABEL = { 'karmada.io/system': 'true' }

export const executionSpace = (cluster: string): string => `karmada-es-${cluster}`
export const worksPath = (cluster: string): string => `${WORKS_GROUP}/namespaces/${executionSpace(cluster)}/works`

type SecretRef = { namespace: string; name: string }
export type ClusterCondition = {
  type: string
  status: string
  reason: string
  message: string
  lastTransitionTime: string
}
export type KarmadaCluster = ApiObject & {
  spec: {
    id?: string
    apiEndpoint?: string
    secretRef?: SecretRef
    impersonatorSecretRef?: SecretRef
    insecureSkipTLSVerification?: boolean
    taints?: { key: string; effect: string }[]
  }
  status?: { conditions?: ClusterCondition[]; [field: string]: unknown }
}

export const readyCondition = ({ status }: KarmadaCluster): ClusterCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')

export const isReady = (cluster: KarmadaCluster): boolean => readyCondition(cluster)?.status === 'True'

export const isDeleting = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

export const withoutFinalizer = ({ metadata }: ApiObject, finalizer: string): object => ({
  metadata: { finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer) },
})

export const controllerReference = ({ apiVersion, kind, metadata }: ApiObject): object => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export type Manifest = ApiObject
export type Work = ApiObject & {
  spec: { workload?: { manifests?: Manifest[] }; preserveResourcesOnDeletion?: boolean }
}
