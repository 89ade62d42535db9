import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ControlPlaneObservation, Federation } from '../../core/federation/federation.ts'
import { refreshMembersReady } from '../../core/federation/settle.ts'
import { remarkOf } from '../../core/membership/member-warning.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { Ports } from '../../core/ports.ts'
import type { FederationObservation, MemberObservation } from '../../drivers/contract/federation-driver.ts'
import { type Fault, memberFault, moved, planeFault, type RestingMembership, type Verdict } from './member-verdict.ts'
import { moveMember } from './move-member.ts'

const NOT_REGISTERED: Fault = {
  reason: 'NotRegistered',
  message: 'The control plane does not know this member. Remove it from the federation and add it again.',
}

const against = (said: MemberObservation): Fault | null => {
  if (said.state === 'ready') return null
  return said.state === 'absent' ? NOT_REGISTERED : { reason: said.reason, message: said.message }
}

type Said = ControlPlaneObservation['members']

/** A control plane that could be asked, and does not name a member, does not know it. */
const saidAbout = ({ fault, members }: FederationObservation, clusterId: string): MemberObservation | undefined =>
  members.get(clusterId) ?? (fault === null ? { state: 'absent' } : undefined)

/** What is to be remembered of a look: members that do not work; of those of which it said nothing, what was said before. */
export const saidOf = (
  last: ControlPlaneObservation | null,
  members: readonly RestingMembership[],
  seen: FederationObservation,
): Said =>
  Object.fromEntries(
    members.flatMap(({ clusterId: id }): [string, Said[string]][] => {
      const before = last?.members[id]
      const said = saidAbout(seen, id)
      if (said === undefined) return before === undefined ? [] : [[id, before]]
      const fault = against(said)
      return fault === null ? [] : [[id, { ...fault, confirmed: before !== undefined }]]
    }),
  )

type Looked = { members: readonly RestingMembership[]; seen: FederationObservation; look: ControlPlaneObservation }

/** True when this look says otherwise than the one before, which is then waited for to be confirmed. */
const isNews = ({ observation }: Federation, { look }: Looked, clusterId: string): boolean =>
  (observation?.members[clusterId] === undefined) !== (look.members[clusterId] === undefined)

/** The clusters of members in trouble, whose own health counts beside what is said of them. */
const clustersOf = async (
  ports: Ports,
  memberships: readonly Membership[],
  said: Said,
): Promise<Map<string, Cluster>> => {
  const troubled = memberships.filter(({ state, clusterId }) => state === 'Degraded' || said[clusterId] !== undefined)
  const [first] = troubled
  if (first === undefined) return new Map()
  const ids = troubled.map(({ clusterId }) => clusterId)
  const clusters = await ports.stores.clusters.getMany(first.projectId, ids)
  return new Map(clusters.map((cluster) => [cluster.id, cluster]))
}

const verdictOn = ({ seen, look }: Looked, clusterId: string, cluster: Cluster | undefined): Verdict => {
  const said = saidAbout(seen, clusterId)
  const fault = memberFault(cluster?.observation ?? null, planeFault(look, clusterId))
  return { fault, ...(said?.state === 'ready' ? { remark: remarkOf(said) } : {}) }
}

/** Takes what a control plane said of its members to them. True when that changed something. */
export const moveObserved = async (ports: Ports, federation: Federation, looked: Looked): Promise<boolean> => {
  const told = looked.members.filter(
    ({ clusterId }) => saidAbout(looked.seen, clusterId) !== undefined && !isNews(federation, looked, clusterId),
  )
  const clusters = await clustersOf(ports, told, looked.look.members)
  const now = ports.clock.now().toISOString()
  const moves = await Promise.all(
    told.map(async (membership) => {
      const verdict = verdictOn(looked, membership.clusterId, clusters.get(membership.clusterId))
      return moved(membership, verdict, now) !== undefined && moveMember(ports, membership, verdict)
    }),
  )
  if (!moves.includes(true)) return false
  await refreshMembersReady(ports, federation)
  return true
}
