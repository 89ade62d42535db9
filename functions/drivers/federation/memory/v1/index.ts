import { Secret } from '../../../../core/values/secret.ts'
import { writeKubeconfig } from '../../../../kubernetes/kubeconfig/write-kubeconfig.ts'
import type { FederationContext, FederationDriver, KubeconfigRequest } from '../../../contract/federation-driver.ts'
import { memoryFederationV1Description } from './description.ts'
import { memoryMembers } from './members.ts'
import { memoryPhases } from './phases.ts'
import { simulate } from './simulate.ts'
import { MemoryWorld } from './world.ts'

/** A kubeconfig of the usual form, for a server that nobody has. */
const kubeconfigFor = (
  { federation, now }: FederationContext,
  { user, role, namespace, seconds }: KubeconfigRequest,
): { kubeconfig: Secret; expiresAt: string } => {
  const expiresAt = new Date(Date.parse(now()) + seconds * 1000).toISOString()
  const kubeconfig = writeKubeconfig({
    name: federation.name,
    user,
    namespace,
    server: `https://${federation.id}.memory.invalid`,
    credential: { token: `memory-token-${federation.id}-${user}-${role}-${expiresAt}` },
  })
  return { kubeconfig: new Secret(kubeconfig), expiresAt }
}

/** memory@1 over a world of one's own: see `MemoryWorld` for what a test can script and see. */
export const memoryFederationDriver = ({ world }: { world: MemoryWorld }): FederationDriver => ({
  ...memoryFederationV1Description,
  phases: memoryPhases(world),
  checkHost: async () => ({
    findings: [...world.hostFindings],
    wouldMake: ['a namespace and a control plane that only play'],
  }),
  ...memoryMembers(world),
  endpoint: async ({ federation }) => `memory://${federation.id}`,
  observe: (context) =>
    simulate(world, context, { name: 'observe', act: 'observe' }, () => world.observationOf(context.federation)),
  kubeconfig: (context, request) =>
    simulate(world, context, { name: 'kubeconfig', act: 'kubeconfig' }, () => kubeconfigFor(context, request)),
})

/** The driver as the registry has it. */
export const memoryFederationV1: FederationDriver = memoryFederationDriver({ world: new MemoryWorld() })
