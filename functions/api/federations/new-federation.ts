import type { Cluster, ClusterUse } from '../../core/cluster/cluster.ts'
import type { Federation, FederationOperation, MembershipChange } from '../../core/federation/federation.ts'
import { memberNameFor } from '../../core/membership/member-name.ts'
import type { WaitingMembership } from '../../core/membership/membership.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import type { Principal } from '../../core/values/principal.ts'
import type { FederationDriver } from '../../drivers/contract/federation-driver.ts'
import { generatedName } from '../generated-name.ts'
import type { CreateFederation } from './federation.schema.ts'
import type { NamesElsewhere } from './names-elsewhere.ts'

/** What a new federation is made from. */
export type NewFederation = {
  id: string
  changeId: string
  principal: Principal
  driver: FederationDriver
  host: Cluster
  members: readonly Cluster[]
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

/** A federation as it is the instant that its 202 goes out. */
export const newFederation = (body: CreateFederation, given: NewFederation): Federation => ({
  id: given.id,
  projectId: given.principal.projectId,
  userId: given.principal.userId,
  name: body.name ?? generatedName(given.id, 'federation'),
  driver: given.driver.id,
  hostClusterId: given.host.id,
  properties: body.properties ?? {},
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
})

/** Its memberships: they wait for the control plane. */
export const waitingMemberships = (federation: Federation, given: NewFederation): WaitingMembership[] => {
  const taken = new Set<string>()
  return given.members.map((cluster) => {
    const elsewhere = given.elsewhere.get(cluster.id)
    const salt = elsewhere === undefined ? '' : federation.id
    const memberName = memberNameFor(cluster, new Set([...taken, ...(elsewhere ?? [])]), salt)
    taken.add(memberName)
    return {
      projectId: federation.projectId,
      federationId: federation.id,
      clusterId: cluster.id,
      memberName,
      revision: 1,
      changeId: given.changeId,
      since: federation.createdAt,
      made: [],
      credential: null,
      state: 'Waiting',
    }
  })
}

/** Marks on each cluster, in one write per cluster: the host may be a member too. */
export const usesOf = ({ id, host, members }: NewFederation): { cluster: Cluster; uses: ClusterUse[] }[] => {
  const clusters = new Map([host, ...members].map((cluster) => [cluster.id, cluster]))
  const memberIds = new Set(members.map((member) => member.id))
  return [...clusters.values()].map((cluster) => ({
    cluster,
    uses: [
      ...(cluster.id === host.id ? [`host:${id}` as const] : []),
      ...(memberIds.has(cluster.id) ? [`member:${id}` as const] : []),
    ],
  }))
}
