import { shortId } from '../../../../core/values/ids.ts'
import type { ObjectRef } from '../../../../core/values/object-ref.ts'
import { PlannedFailure } from '../../../contract/errors.ts'
import type { FederationContext, MemberContext } from '../../../contract/federation-driver.ts'
import { namespaceName } from './description.ts'
import { type MemoryProperties, MemoryPropertiesSchema } from './schema.ts'
import type { MemoryWorld } from './world.ts'

/** What the driver reads of `properties`; faults were refused when the federation was made. */
export const optionsOf = ({ federation }: FederationContext): MemoryProperties =>
  MemoryPropertiesSchema.parse(federation.properties)

const ref = (context: FederationContext, where: ObjectRef['where'], kind: string, name: string): ObjectRef => {
  const namespace = namespaceName(context.federation.id)
  return {
    where,
    apiVersion: kind === 'MemoryMember' || kind === 'MemoryControlPlane' ? 'memory.fedplane.io/v1' : 'v1',
    kind,
    namespace: kind === 'Namespace' ? '' : namespace,
    name: kind === 'Namespace' ? namespace : name,
    uid: `${where}-${kind}-${name}-${shortId(context.federation.id)}`,
  }
}

export const namespaceOf = (context: FederationContext): ObjectRef => ref(context, 'host', 'Namespace', '')
export const controlPlaneOf = (context: FederationContext): ObjectRef =>
  ref(context, 'host', 'MemoryControlPlane', 'control-plane')
export const memberOf = (context: MemberContext): ObjectRef =>
  ref(context, 'host', 'MemoryMember', context.membership.memberName)
export const accountOf = (context: MemberContext): ObjectRef => ref(context, 'member', 'ServiceAccount', 'fedplane')

/** That the control plane sends it no new workloads. */
export const cordonOf = (context: MemberContext): ObjectRef =>
  ref(context, 'host', 'MemoryCordon', context.membership.memberName)

/** What stands for the workloads that the federation brings into a member: a test puts it there. */
export const workloadOf = (context: MemberContext): ObjectRef => ref(context, 'member', 'Deployment', 'workload')

const failsAt = (context: FederationContext, act: string, label: string | undefined): boolean =>
  optionsOf(context)['memory-fail-phase'] === act || label === act

/** Runs one act with the hooks around it and the planned failure in it. `act` is its name in options and labels. */
export const simulate = async <T>(
  world: MemoryWorld,
  context: FederationContext,
  { name, act, member }: { name: string; act: string; member?: MemberContext },
  run: () => T | Promise<T>,
): Promise<T> => {
  const call = { name, federationId: context.federation.id, clusterId: member?.membership.clusterId ?? null }
  world.note(call)
  await world.before?.(call)
  if (failsAt(context, act, member?.member.cluster.magnum.labels['memory-fail-step'])) {
    throw new PlannedFailure(`memory@1 was asked to fail at ${act}; take the option or label away and try again.`)
  }
  const result = await run()
  await world.after?.(call)
  return result
}
