import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { type Assets, findAssets } from '../../../local/clusters/programs.ts'
import { clientOf, type StartedCluster } from '../../../local/clusters/started-cluster.ts'
import {
  type ClusterSet,
  ClustersUnavailable,
  type DemoCluster,
  type StartOptions,
  startClusters,
} from '../../../local/clusters/take-clusters.ts'
import { clustersOfKubeconfig } from '../../../local/demo/own-clusters.ts'

const HOW =
  'The end-to-end tests need real clusters: set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kube-controller-manager ' +
  '(for example the last line of ../shared/kube/build k8s, or of setup-envtest use -p path), or FEDPLANE_E2E_KUBECONFIG to a kubeconfig ' +
  'with contexts of three clusters that may be changed.'

const NAMES = ['amsterdam', 'berlin', 'cairo', 'delhi']

/** @throws ClustersUnavailable telling how to get some */
const demandAssets = (): Assets => {
  const assets = findAssets(process.env.KUBEBUILDER_ASSETS)
  if (assets === null) throw new ClustersUnavailable(HOW)
  return assets
}

/** Clusters for a test, the first the host: contexts of `FEDPLANE_E2E_KUBECONFIG`, else started from `KUBEBUILDER_ASSETS`. Never simulated. */
export const takeClusters = async (count: number): Promise<ClusterSet> => {
  const file = process.env.FEDPLANE_E2E_KUBECONFIG
  return file ? clustersOfKubeconfig(count, { file })() : startTestClusters(count)
}

/** Clusters that a test may also kill: always started here. */
export const startTestClusters = (
  count: number,
  options: Omit<StartOptions, 'assets' | 'names'> = {},
): Promise<ClusterSet<StartedCluster>> =>
  startClusters({ assets: demandAssets(), names: NAMES.slice(0, count), ...options })

/** Clients of the clusters themselves, closed together. */
export const adminClients = (clusters: readonly DemoCluster[]): { clients: KubernetesClient[]; close(): void } => {
  const clients = clusters.map((cluster) => clientOf(cluster))
  return {
    clients,
    close: () => {
      for (const client of clients) client.close()
    },
  }
}
