import { CLUSTER_CONTRACT, type ClusterDriver } from '../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../contract/errors.ts'
import { check } from './check.ts'
import { observe } from './observe.ts'
import { memoryPhases } from './phases.ts'
import { MemoryClusters } from './world.ts'

/** memory@1 over a world of one's own. */
export const memoryClusterDriver = ({ world }: { world: MemoryClusters }): ClusterDriver => ({
  id: 'memory@1',
  contract: CLUSTER_CONTRACT,
  description: 'Plays the whole life of a cluster without one: for tests and for trying the API out.',
  capabilities: { needsKubeconfig: false, kubernetesApi: false, makesNodes: true, certificateAuthority: true },
  builtinTemplate: null,
  check,
  phases: memoryPhases(world),
  connection: (cluster) => {
    throw new CredentialMissing(`Cluster ${cluster.name} only plays (memory@1): it has no API server.`)
  },
  observe: (context) => observe(world, context),
})

/** The driver as the registry has it. */
export const memoryClusterV1: ClusterDriver = memoryClusterDriver({ world: new MemoryClusters() })
