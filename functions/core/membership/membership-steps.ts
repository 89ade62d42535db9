import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import { type Cluster, federationUses } from '../cluster/cluster.ts'
import type { Federation, MembershipChange } from '../federation/federation.ts'
import { markUses, newLoan, type UsedCluster, unmarkMember } from '../grant/loans.ts'
import type { Launch } from '../operation/launch.ts'
import type { Ports, TablePorts } from '../ports.ts'
import {
  type JoinFailedMembership,
  type JoiningMembership,
  type LeavingMembership,
  type Membership,
  memberNameFor,
} from './membership.ts'
import { type DesiredUnjoin, joining, launchOf, leaving, newMember } from './membership-states.ts'

/**
 * A change of one membership, decided and not yet stored. `next` has the revision of `before`: whoever stores it raises that, and this is
 * `MembershipStore.replace` alone.
 */
export type MembershipStep =
  | { kind: 'join'; cluster: UsedCluster; before: JoinFailedMembership | null; next: JoiningMembership }
  | { kind: 'unjoin'; before: Membership; next: LeavingMembership }
  /** One that nothing was ever made for, or whose failed join left nothing behind: it is forgotten. */
  | { kind: 'dismiss'; before: Membership }

type Tools = Pick<TablePorts, 'clock' | 'newId'>

type JoinInput = {
  federation: Pick<Federation, 'projectId' | 'id'>
  cluster: UsedCluster
  before: JoinFailedMembership | null
  changeId: string
  /** Member names in use in the federation. */
  takenNames: ReadonlySet<string>
  /** Names of the cluster elsewhere that it must not have here too. */
  elsewhere?: ReadonlySet<string> | undefined
}

/** The name of a new member: its cluster's, unless that is taken, or another federation has it. */
export const newMemberName = ({
  federation,
  cluster,
  takenNames,
  elsewhere = new Set(),
}: Pick<JoinInput, 'federation' | 'cluster' | 'takenNames' | 'elsewhere'>): string =>
  memberNameFor(cluster, new Set([...takenNames, ...elsewhere]), elsewhere.size === 0 ? '' : federation.id)

/** A new name, or that of the failed join: unless another federation has it by now, and nothing is left under it. */
const nameFor = (input: JoinInput): string => {
  const { before, elsewhere = new Set() } = input
  if (before !== null && (before.leftovers.length > 0 || !elsewhere.has(before.memberName))) return before.memberName
  return newMemberName(input)
}

/** A join, or the retry of a failed one under its old name: what that one left behind stays on the list of what was made. */
export const joinStep = (tools: Tools, input: JoinInput): MembershipStep & { kind: 'join' } => {
  const { federation, cluster, before, changeId } = input
  const since = tools.clock.now().toISOString()
  const memberName = nameFor(input)
  const loan = newLoan(cluster, since)
  const { loan: _, ...member } = before ?? newMember({ federation, clusterId: cluster.id, changeId, since, memberName })
  const next = joining(tools, { ...member, memberName, ...(loan && { loan }) }, changeId)
  return { kind: 'join', cluster, before, next }
}

/** An unjoin, which replaces whatever runs on the membership; or a dismissal, where nothing can be left of it. */
export const leaveStep = (tools: Tools, before: Membership, desired: DesiredUnjoin): MembershipStep => {
  // What undo left behind is tried again before the record of it goes.
  const isDismissed = before.state === 'Waiting' || (before.state === 'JoinFailed' && before.leftovers.length === 0)
  return isDismissed ? { kind: 'dismiss', before } : { kind: 'unjoin', before, next: leaving(tools, before, desired) }
}

/** What a step writes of membership and cluster; the federation's own part is its caller's. */
export const stepWrites = ({ stores }: Pick<Ports, 'stores'>, step: MembershipStep): Write[] => {
  const { memberships } = stores
  switch (step.kind) {
    case 'join': {
      const { before, next, cluster } = step
      const write = before === null ? memberships.insert(next) : memberships.replace(before, next)
      const federation = { projectId: next.projectId, id: next.federationId }
      return [
        write,
        ...markUses(stores, federation, cluster, [{ side: 'member', grant: cluster.grant, loan: next.loan }]),
      ]
    }
    case 'unjoin':
      return [memberships.replace(step.before, step.next)]
    case 'dismiss':
      return [memberships.remove(step.before), ...unmarkMember(stores, step.before)]
  }
}

/** The membership that a step is about: as it will be, or as it was where it goes. */
export const aboutOf = (step: MembershipStep): Membership => ('next' in step ? step.next : step.before)

/** What has to be started once steps are stored. */
export const launchesOf = (steps: readonly MembershipStep[]): Launch[] =>
  steps.flatMap((step) => ('next' in step ? [launchOf(step.next)] : []))

/** The open run of membership changes with these steps in it; unchanged when none of them moves. */
export const changeWith = (
  open: MembershipChange | null,
  id: string,
  steps: readonly MembershipStep[],
): MembershipChange | null => {
  const deadlines = steps.flatMap((step) => (step.kind === 'dismiss' ? [] : [step.next.operation.deadline]))
  if (deadlines.length === 0) return open
  const latest = [...deadlines, ...(open === null ? [] : [open.deadline])].sort().at(-1) ?? ''
  return { ...open, id, deadline: latest }
}

type NamePorts = Pick<TablePorts, 'stores' | 'drivers'>

/** By cluster id: its names in other federations that its name in this one must differ from. Clusters without such names are left out. */
export type NamesElsewhere = ReadonlyMap<string, ReadonlySet<string>>

/** Its name in one federation, where that matters to others; undefined where it does not. */
const nameIn = async (
  { stores, drivers }: NamePorts,
  { id: clusterId }: Cluster,
  key: { projectId: string; id: string },
): Promise<string[]> => {
  const federation = await stores.federations.get(key)
  const driver = drivers.federation.list().find(({ id }) => id === federation?.driver)
  if (driver?.distinctMemberNames !== true) return []
  const membership = await stores.memberships.get({ projectId: key.projectId, federationId: key.id, clusterId })
  return membership === undefined ? [] : [membership.memberName]
}

/**
 * The name that the same cluster would get as it is registered in another project. It is left to nobody, joined or not: who looked first would
 * not see the other. A uid is what a cluster says of itself, so an impostor's costs the real one a shorter name, and nothing else.
 */
const nameOfTwins = async ({ stores: { clusters } }: NamePorts, cluster: Cluster): Promise<string[]> => {
  const { projectId, name, identity } = cluster
  if (identity === null) return []
  const keys = await clusters.locateByName({ projectId, allProjects: true }, name)
  const byProject = Map.groupBy(
    keys.filter((key) => key.projectId !== projectId),
    (key) => key.projectId,
  )
  const others = await Promise.all(
    [...byProject].map(([owner, those]) =>
      clusters.getMany(
        owner,
        those.map(({ id }) => id),
      ),
    ),
  )
  return others.flat().some((other) => other.identity?.uid === identity.uid) ? [name] : []
}

/**
 * Looks up what clusters are called in other federations, for drivers with `distinctMemberNames`.
 *
 * @param federationId the one that they are to join
 */
export const namesElsewhere = async (
  ports: NamePorts,
  driver: FederationDriverDescription,
  federationId: string,
  clusters: readonly Cluster[],
): Promise<NamesElsewhere> => {
  const names = new Map<string, ReadonlySet<string>>()
  if (driver.distinctMemberNames !== true) return names
  for (const cluster of clusters) {
    const others = federationUses(cluster).filter(
      ({ side, federation }) => side === 'member' && federation.id !== federationId,
    )
    const found = await Promise.all([
      ...others.map(({ federation }) => nameIn(ports, cluster, federation)),
      nameOfTwins(ports, cluster),
    ])
    if (found.flat().length > 0) names.set(cluster.id, new Set(found.flat()))
  }
  return names
}
