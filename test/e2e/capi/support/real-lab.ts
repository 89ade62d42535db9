import type { ClusterAccess } from '../../../../functions/drivers/contract/cluster-access.ts'
import type { Connect, Connection } from '../../../../functions/kubernetes/client.ts'
import { ConnectFailed } from '../../../../functions/kubernetes/errors.ts'
import { capiMaking, labAuthority, managementAccess } from '../../../support/capi/lab.ts'
import type { ClusterLab } from '../../../support/drivers/cluster-life.ts'
import { connect, testCluster } from '../../../support/drivers/test-cluster.ts'
import type { OwnCluster } from '../../karmada/support/kube.ts'

/** Machines take their time: the real controllers look again at a new API server every 30 s only, and a busy machine makes that minutes. */
const TIMEOUT_MS = 480_000

const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters', namespace: 'fedplane-local' }

/** Notes the names of Clusters that are written. */
const noting = (access: ClusterAccess, made: Set<string>): ClusterAccess => ({
  ...access,
  client: async () => {
    const client = await access.client()
    return {
      ...client,
      apply: (resource, object, options) => {
        if (resource.plural === CLUSTERS.plural && options?.dryRun !== true) made.add(object.metadata.name)
        return client.apply(resource, object, options)
      },
    }
  },
})

/**
 * A place to make clusters in, for the contract suite: the real management cluster, and one without Cluster API. Several may be open at a time, so a cluster
 * becomes unreachable by cutting the way to it.
 */
export const openRealLab = async (
  management: OwnCluster,
  bare: { name: string; kubeconfig: string; context: string },
): Promise<ClusterLab & { close(): Promise<void> }> => {
  const [site, other] = await Promise.all([
    testCluster('management', management.kubeconfig, management.context),
    testCluster('bare', bare.kubeconfig, bare.context),
  ])
  const made = new Set<string>()
  const access = managementAccess({ ...site, access: (budget) => noting(site.access(budget), made) })
  let isCut = false
  const connectUnlessCut: Connect = (connection: Connection) => {
    if (isCut) throw new ConnectFailed(`${connection.server} refused the connection.`)
    return connect(connection)
  }
  const keys = await Promise.all((['kubernetes', 'etcd', 'front-proxy'] as const).map((type) => labAuthority(type, 1)))
  return {
    credential: async () => undefined,
    connect: connectUnlessCut,
    secrets: keys.map(({ privateKey }) => privateKey.reveal().split('\n')[1] ?? ''),
    tellsVersion: false,
    timeoutMilliseconds: TIMEOUT_MS,
    stop: async () => {
      isCut = true
    },
    making: capiMaking(),
    management: { access, unfit: managementAccess(other) },
    close: async () => {
      // Not waited for: what is left of them ends with the management cluster, and takes no time of others until then.
      await Promise.all([...made].map((name) => site.admin.delete(CLUSTERS, name)))
      for (const { close } of [site, other]) close()
    },
  }
}
