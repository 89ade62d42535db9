import { operationOf } from '../../../../core/membership/membership.ts'
import { Secret } from '../../../../core/values/secret.ts'
import type { FederationDriver, MemberContext, PrepareResult } from '../../../contract/federation-driver.ts'
import { accountOf, cordonOf, memberOf, optionsOf, simulate, workloadOf } from './simulate.ts'
import type { MemoryWorld } from './world.ts'

type MemberFunctions = Pick<
  FederationDriver,
  | 'checkMember'
  | 'prepareMember'
  | 'registerMember'
  | 'observeMember'
  | 'refreshMember'
  | 'observeMade'
  | 'cordonMember'
  | 'revokeMember'
  | 'tokensIn'
  | 'deregisterMember'
  | 'cleanMember'
>

const secondsFrom = (now: string, seconds: number): string => new Date(Date.parse(now) + seconds * 1000).toISOString()

/** A new token at each call: what a member that makes tokens would give. Renewed after two thirds of its life. */
const newCredential = (context: MemberContext): NonNullable<PrepareResult['credential']> => {
  const now = context.now()
  const lifetime = optionsOf(context)['memory-token-seconds']
  const token = new Secret(`memory-token-${context.membership.clusterId}-${now}`)
  return lifetime === undefined
    ? { kind: 'token-secret', expiresAt: null, renewAfter: null, token }
    : {
        kind: 'token-request',
        expiresAt: secondsFrom(now, lifetime),
        renewAfter: secondsFrom(now, Math.ceil((lifetime * 2) / 3)),
        token,
      }
}

/** Registered in the world, or by what is stored: a world does not outlive its process. */
const isRegistered = (world: MemoryWorld, context: MemberContext): boolean => {
  const member = memberOf(context)
  return (
    world.has(context.federation.hostClusterId, member) ||
    context.membership.made.some((ref) => ref.kind === member.kind && ref.name === member.name)
  )
}

/** What memory@1 does for one member. Labels of the member's cluster: `memory-fail-step` names one of the acts below. */
export const memoryMembers = (world: MemoryWorld): MemberFunctions => {
  const act = <T>(name: keyof MemberFunctions, step: string, context: MemberContext, run: () => T | Promise<T>) =>
    simulate(world, context, { name, act: step, member: context }, run)
  return {
    checkMember: (context) =>
      act('checkMember', 'check', context, () => ({ findings: [], wouldMake: ['a ServiceAccount in the member'] })),
    prepareMember: (context) =>
      act('prepareMember', 'prepare', context, () => ({
        done: true,
        made: [world.put(context.membership.clusterId, accountOf(context))],
        credential: newCredential(context),
      })),
    registerMember: (context) =>
      act('registerMember', 'register', context, () => ({
        done: true,
        made: [world.put(context.federation.hostClusterId, memberOf(context))],
      })).then((result) => {
        world.missing.delete(context.membership.clusterId)
        return result
      }),
    observeMember: (context) =>
      act('observeMember', 'ready', context, () =>
        isRegistered(world, context)
          ? (world.said.get(context.membership.clusterId) ?? { state: 'ready' })
          : { state: 'absent' },
      ),
    observeMade: (context) =>
      act('observeMade', 'made', context, () => [...(world.missing.get(context.membership.clusterId) ?? [])]),
    refreshMember: (context) => act('refreshMember', 'refresh', context, () => ({ done: true })),
    cordonMember: (context, isCordoned) =>
      act('cordonMember', 'cordon', context, () => {
        const { hostClusterId } = context.federation
        if (!isRegistered(world, context)) return { done: true }
        if (isCordoned) world.put(hostClusterId, cordonOf(context))
        else world.remove(hostClusterId, cordonOf(context))
        return { done: true }
      }),
    revokeMember: (context) =>
      act('revokeMember', 'revoke', context, () => {
        world.remove(context.membership.clusterId, accountOf(context))
        return { done: true }
      }),
    // Nobody takes them.
    tokensIn: () => [],
    deregisterMember: (context) =>
      act('deregisterMember', 'deregister', context, () => {
        const { federation, membership } = context
        if (operationOf(membership)?.workloads === 'delete') world.remove(membership.clusterId, workloadOf(context))
        world.remove(federation.hostClusterId, memberOf(context))
        world.remove(federation.hostClusterId, cordonOf(context))
        return { done: true }
      }),
    cleanMember: (context) =>
      act('cleanMember', 'clean', context, () => {
        world.remove(context.membership.clusterId, accountOf(context))
        return { done: true }
      }),
  }
}
