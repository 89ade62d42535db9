import type { FederationDriver } from '../../drivers/contract/federation-driver.ts'
import type { Stores } from '../../store/stores.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Loan } from '../grant/grant.ts'
import { type BegunUse, newLoan, type UsedCluster } from '../grant/loans.ts'
import type { HealthPolicy } from '../health-policy/health-policy.ts'
import type { WaitingMembership } from '../membership/membership.ts'
import { newMember } from '../membership/membership-states.ts'
import { type NamesElsewhere, newMemberName } from '../membership/membership-steps.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import type { DesiredSelector } from '../selector/set-selector.ts'
import type { Principal } from '../values/identity.ts'
import { generatedName } from '../values/ids.ts'
import type { NewHost } from './created-host.ts'
import type { Federation, FederationOperation, MembershipChange } from './federation.ts'

/** A federation as its caller wants it; clusters are named by id or name. */
export type DesiredFederation = {
  /** Null: one is made up. */
  name: string | null
  /** Null: the default one. */
  driver: string | null
  properties: Federation['properties']
  /** One that is there, or the plan of one that is created with it. */
  host: string | NewHost
  members: readonly string[]
  /** Null: none. */
  selector?: DesiredSelector | null
  /** Null: the default one. */
  healthPolicy?: HealthPolicy | null
}

/** What a new federation is made from. */
export type NewFederation = {
  id: string
  changeId: string
  /** Of its selector. */
  selectorId: string
  principal: Principal
  driver: FederationDriver
  host: UsedCluster
  /** The host is created with it. */
  newHost: NewHost | null
  members: readonly UsedCluster[]
  operation: FederationOperation
  elsewhere: NamesElsewhere
}

/** Everything that a new federation consists of, checked and not yet stored. */
export type FederationPlan = {
  given: NewFederation
  federation: Federation
  memberships: WaitingMembership[]
}

/** The members begin to join once the control plane is up, so they get the time for both. */
const openChange = ({ changeId, members, operation }: NewFederation): MembershipChange | null => {
  if (members.length === 0) return null
  const milliseconds = Date.parse(operation.deadline) + DEADLINE_SECONDS['member-join'] * 1000
  return { id: changeId, deadline: new Date(milliseconds).toISOString() }
}

const loanOf = ({ operation }: NewFederation, cluster: UsedCluster): Loan | undefined =>
  newLoan(cluster, operation.startedAt)

const hostLoanOf = (given: NewFederation): Pick<Federation, 'hostLoan'> => {
  const hostLoan = loanOf(given, given.host)
  return hostLoan === undefined ? {} : { hostLoan }
}

/** A federation as it is the instant that its 202 goes out. */
export const newFederation = (desired: DesiredFederation, given: NewFederation): Federation => ({
  id: given.id,
  projectId: given.principal.projectId,
  userId: given.principal.userId,
  name: desired.name ?? generatedName(given.id, 'federation'),
  driver: given.driver.id,
  hostClusterId: given.host.id,
  createdHost: given.newHost && { keep: given.newHost.keep, state: 'pending' },
  ...hostLoanOf(given),
  properties: desired.properties,
  revision: 1,
  status: 'CREATE_IN_PROGRESS',
  statusReason: null,
  operation: given.operation,
  change: openChange(given),
  conditions: [],
  endpoint: null,
  made: [],
  driverState: {},
  renewAfter: null,
  driverSecrets: [],
  observation: null,
  createdAt: given.operation.startedAt,
  updatedAt: null,
  memberIds: given.members.map(({ id }) => id).sort(),
  ...(desired.healthPolicy ? { healthPolicy: desired.healthPolicy } : {}),
  ...(desired.selector ? { memberSelector: { ...desired.selector, id: given.selectorId } } : {}),
})

/** Its memberships: they wait for the control plane. */
export const waitingMemberships = (federation: Federation, given: NewFederation): WaitingMembership[] => {
  const takenNames = new Set<string>()
  return given.members.map((cluster) => {
    const elsewhere = given.elsewhere.get(cluster.id)
    const memberName = newMemberName({ federation, cluster, takenNames, elsewhere })
    takenNames.add(memberName)
    const { changeId } = given
    const loan = loanOf(given, cluster)
    return newMember({ federation, clusterId: cluster.id, changeId, since: federation.createdAt, memberName, loan })
  })
}

/** Uses of each cluster that is there, to be marked in one write per cluster: the host may be a member too. A new host has its mark from the first. */
export const usesOf = (given: NewFederation): { cluster: Cluster; uses: BegunUse[] }[] => {
  const { host, newHost, members } = given
  const all = [
    ...(newHost ? [] : [{ side: 'host' as const, cluster: host }]),
    ...members.map((cluster) => ({ side: 'member' as const, cluster })),
  ]
  return [...Map.groupBy(all, ({ cluster }) => cluster.id).values()].map((those) => ({
    cluster: those[0]?.cluster ?? host,
    uses: those.map(({ side, cluster }) => ({ side, grant: cluster.grant, loan: loanOf(given, cluster) })),
  }))
}

/**
 * Claims of a host's namespaces for a federation, so that of two creates of one project the second is refused at once. Within the project only: a
 * uid is what an API server says of itself, and an impostor that repeats another cluster's could else claim the namespaces of the real one.
 * Across projects the namespace in the host has the last word: drivers mark it conditionally (decision 0028). The flows give claims
 * back under the same identity; a host that has none holds no namespaces.
 */
export const namespaceClaims = (
  { federations }: Pick<Stores, 'federations'>,
  host: Pick<Cluster, 'identity'>,
  { projectId, id }: Pick<Federation, 'projectId' | 'id'>,
  namespaces: readonly string[],
): Write[] => {
  const uid = host.identity?.uid
  return uid === undefined
    ? []
    : namespaces.map((namespace) => federations.claimNamespace({ projectId, uid }, namespace, id))
}
