import type { ClusterDriver } from '../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../contract/errors.ts'
import { memoryClusterV1Description } from './description.ts'
import { MemoryClusters, observe } from './observe.ts'
import { memoryPhases } from './phases.ts'

/** memory@1 over a world of one's own. */
export const memoryClusterDriver = ({ world }: { world: MemoryClusters }): ClusterDriver => ({
  ...memoryClusterV1Description,
  phases: memoryPhases(world),
  connection: async (cluster) => {
    throw new CredentialMissing(`Cluster ${cluster.name} is simulated (memory@1): it has no API server.`)
  },
  observe: (context) => observe(world, context),
})

/** The driver as the registry has it. */
export const memoryClusterV1: ClusterDriver = memoryClusterDriver({ world: new MemoryClusters() })
