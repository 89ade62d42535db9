import { shortId } from '../../../functions/core/values/ids.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ManagementAccess } from '../../../functions/drivers/contract/cluster-driver.ts'
import type { PlannedCluster } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import type { Finding } from '../../../functions/drivers/contract/federation-driver.ts'
import { memoryFederationDriver } from '../../../functions/drivers/federation/memory/v1/index.ts'
import { workloadOf } from '../../../functions/drivers/federation/memory/v1/simulate.ts'
import { MemoryWorld } from '../../../functions/drivers/federation/memory/v1/world.ts'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { ClusterLab } from '../../support/drivers/cluster-life.ts'
import { defaultGroups, templateEntity } from '../../support/drivers/cluster-samples.ts'
import type { LabCluster } from '../../support/drivers/federation-lab.ts'
import { managedClusterDriver } from '../../support/drivers/managed-driver.ts'
import { clusterEntity, connect, unreachable } from '../../support/drivers/test-cluster.ts'
import { describeClusterDriver } from './cluster-suite.ts'
import { describeFederationDriver } from './federation-suite.ts'

const simulated = (name: string): LabCluster => {
  const cluster = clusterEntity({ name, driver: 'memory@1' })
  return { cluster, access: () => unreachable(cluster, new Error('memory@1 talked to a cluster')) }
}

const world = new MemoryWorld()

describeFederationDriver(memoryFederationDriver({ world }), {
  open: async () => {
    const [host, paris, tokyo] = [simulated('host'), simulated('paris'), simulated('tokyo')]
    return {
      host,
      members: [paris, tokyo],
      connect,
      remains: async (federationId) =>
        [host, paris, tokyo]
          .flatMap(({ cluster }) => world.holds(cluster.id))
          .filter((object) => object.includes(shortId(federationId))),
      deploy: async (context) => {
        const [{ clusterId }, workload] = [context.membership, workloadOf(context)]
        world.put(clusterId, workload)
        return {
          isThere: async () => world.has(clusterId, workload),
          remove: async () => world.remove(clusterId, workload),
        }
      },
      close: async () => undefined,
    }
  },
  properties: () => ({ 'memory-delay-seconds': '0', 'memory-certificate-seconds': '3600' }),
  faulty: [{ 'memory-delay-seconds': 'soon' }],
})

const CA_KEY = 'the key of the authority'

const unreadable = (plan: PlannedCluster, label: string, value: string): PlannedCluster => ({
  ...plan,
  cluster: { ...plan.cluster, magnum: { ...plan.cluster.magnum, labels: { [label]: value } } },
})

const clusterLab = (): ClusterLab & { close(): Promise<void> } => ({
  credential: async () => undefined,
  connect,
  secrets: [CA_KEY],
  stop: async () => undefined,
  close: async () => undefined,
  making: {
    template: templateEntity({ kube_tag: 'v1.35.2' }),
    newer: templateEntity({ kube_tag: 'v1.36.0' }),
    faulty: [
      (plan) => unreadable(plan, 'memory-delay-seconds', 'soon'),
      (plan) => ({ ...plan, nodeGroups: defaultGroups(plan.cluster.id, { masters: 2 }) }),
      (plan) => ({ ...plan, nodeGroups: defaultGroups(plan.cluster.id, { workers: 1000 }) }),
    ],
    authority: async (type, generation) => ({
      certificatePem: `certificate ${generation} of ${type}`,
      privateKey: new Secret(CA_KEY),
    }),
  },
})

describeClusterDriver(memoryClusterDriver({ world: new MemoryClusters() }), { open: async () => clusterLab() })

/** Of a management cluster that is asked for nothing but to be there. */
const managementAccess = (name: string): ManagementAccess => ({
  ...unreachable(clusterEntity({ name }), new Error('memory@1 talked to a cluster')),
  client: async () => ({}) as KubernetesClient,
  options: { infrastructure: 'dev' },
})

const findings = async ({ cluster }: ManagementAccess): Promise<Finding[]> =>
  cluster.name === 'unfit' ? [{ severity: 'error', reason: 'Unfit', message: 'Nothing is installed.' }] : []

describeClusterDriver(managedClusterDriver(new MemoryClusters(), { findings }), {
  open: async () => ({
    ...clusterLab(),
    management: { access: managementAccess('management'), unfit: managementAccess('unfit') },
  }),
})
