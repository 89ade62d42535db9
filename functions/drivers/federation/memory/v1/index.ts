import { FEDERATION_CONTRACT, type FederationDriver } from '../../../contract/federation-driver.ts'
import { memoryMembers } from './members.ts'
import { memoryPhases } from './phases.ts'
import { namespaceName } from './play.ts'
import { PROPERTIES, validateProperties } from './schema.ts'
import { MemoryWorld } from './world.ts'

/** memory@1 over a world of one's own: see `MemoryWorld` for what a test can script and see. */
export const memoryFederationDriver = ({ world }: { world: MemoryWorld }): FederationDriver => ({
  id: 'memory@1',
  contract: FEDERATION_CONTRACT,
  description: 'Plays a federation without any cluster: for tests and for trying the API out.',
  capabilities: { hostAsMember: true, usesKubernetesApi: false, kubeconfig: false },
  properties: PROPERTIES,
  validateProperties,
  hostNamespaces: ({ id }) => [namespaceName(id)],
  phases: memoryPhases(world),
  checkHost: async () => ({ findings: [], wouldMake: ['a namespace and a control plane that only play'] }),
  ...memoryMembers(world),
  endpoint: async ({ federation }) => `memory://${federation.id}`,
})

/** The driver as the registry has it. */
export const memoryFederationV1: FederationDriver = memoryFederationDriver({ world: new MemoryWorld() })
