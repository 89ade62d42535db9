import { shortId } from '../../../functions/domain/ids.ts'
import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/world.ts'
import { memoryFederationDriver } from '../../../functions/drivers/federation/memory/v1/index.ts'
import { MemoryWorld } from '../../../functions/drivers/federation/memory/v1/world.ts'
import type { LabCluster } from '../../support/drivers/federation-lab.ts'
import { clusterEntity, connect, unreachable } from '../../support/drivers/test-cluster.ts'
import { describeClusterDriver } from './cluster-suite.ts'
import { describeFederationDriver } from './federation-suite.ts'

const played = (name: string): LabCluster => {
  const cluster = clusterEntity({ name, driver: 'memory@1' })
  return { cluster, access: () => unreachable(cluster, new Error('memory@1 talked to a cluster')) }
}

const world = new MemoryWorld()

describeFederationDriver(memoryFederationDriver({ world }), {
  open: async () => {
    const [host, paris, tokyo] = [played('host'), played('paris'), played('tokyo')]
    return {
      host,
      members: [paris, tokyo],
      connect,
      remains: async (federationId) =>
        [host, paris, tokyo]
          .flatMap(({ cluster }) => world.holds(cluster.id))
          .filter((object) => object.includes(shortId(federationId))),
      close: async () => undefined,
    }
  },
  properties: { 'memory-delay-seconds': '0' },
  faulty: [{ 'memory-delay-seconds': 'soon' }],
})

describeClusterDriver(memoryClusterDriver({ world: new MemoryClusters() }), {
  open: async () => ({
    credential: async () => undefined,
    connect,
    secrets: [],
    stop: async () => undefined,
    close: async () => undefined,
  }),
})
