import type { KubernetesClient, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { clientOf } from '../../../../local/clusters/started-cluster.ts'
import type { Api, ClusterView } from '../../../support/api/api.ts'
import { type OwnCluster, startManagement } from '../../karmada/support/kube.ts'
import { clusterPath } from '../../support/stories.ts'

/** Of Cluster API's own kinds. */
export const CORE = { group: 'cluster.x-k8s.io', version: 'v1beta2' }

/** A management cluster with the real controllers, and its administrator's eyes. */
export type Management = {
  cluster: OwnCluster
  admin: KubernetesClient
  close(): Promise<void>
}

export const openManagement = async (): Promise<Management> => {
  const cluster = await startManagement('management')
  const admin = clientOf(cluster)
  return {
    cluster,
    admin,
    close: async () => {
      admin.close()
      await cluster.close()
    },
  }
}

/** Registers it, for clusters whose machines are only simulated. */
export const registerManagement = async (
  api: Api,
  { cluster }: Management,
  more: object = {},
): Promise<ClusterView> => {
  const { name, kubeconfig, context } = cluster
  const management = { infrastructure: 'dev', default: true, ...more }
  const id = await api.create('/v1/clusters', { name, kubeconfig, context, management })
  return api.settled<ClusterView>(clusterPath(id), 'CREATE_COMPLETE')
}

/** What there is of Cluster API's objects and their Secrets in a namespace, as `Kind/name`. */
export const inNamespace = async ({ admin }: Management, namespace: string): Promise<string[]> => {
  const lists = await Promise.all([
    ...['clusters', 'machinedeployments', 'machines'].map((plural) => admin.list({ ...CORE, plural, namespace })),
    admin.list({ group: '', version: 'v1', plural: 'secrets', namespace }),
  ])
  return lists.flatMap(({ items }) => items).map(({ kind, metadata }) => `${kind}/${metadata.name}`)
}

/** The `Cluster` of a cluster of fedplane's. */
export const capiCluster = async ({ admin }: Management, id: string): Promise<KubernetesObject | undefined> => {
  const { items } = await admin.list({ ...CORE, plural: 'clusters' }, { labelSelector: `fedplane.io/cluster=${id}` })
  return items[0]
}
