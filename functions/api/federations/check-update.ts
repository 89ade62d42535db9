import type { OpenClusterAccess } from '../../core/access/cluster-access.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { MembershipStep } from '../../core/membership/membership-steps.ts'
import type { FederationContext, FederationDriver } from '../../drivers/contract/federation-driver.ts'
import type { Check } from './run-checks.ts'

/** A member that changed properties reach into. */
export type OpenMember = { membership: Membership; member: OpenClusterAccess }

/** Memberships that changed properties reach into: those in rest that the same request does not move. */
export const restingMembers = (memberships: readonly Membership[], steps: readonly MembershipStep[]): Membership[] => {
  const moved = new Set(steps.map((step) => ('next' in step ? step.next.clusterId : step.before.clusterId)))
  return memberships.filter(
    ({ state, clusterId }) => (state === 'Ready' || state === 'Degraded') && !moved.has(clusterId),
  )
}

/** The driver's check of host and members before properties change; none where nothing of a cluster can refuse them. */
export const updateChecks = (
  { checkUpdate }: FederationDriver,
  context: FederationContext,
  members: readonly OpenMember[],
): Check[] => {
  if (checkUpdate === undefined) return []
  return [
    { cluster: context.host.cluster, run: async () => checkUpdate.host(context) },
    ...members.map(({ membership, member }) => ({
      cluster: member.cluster,
      run: async () => checkUpdate.member({ ...context, membership, member, memberToken: async () => undefined }),
    })),
  ]
}
