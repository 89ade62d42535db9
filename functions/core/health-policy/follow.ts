import { type FederationDriverDescription, rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { describeUnhealthy } from '../cluster/observed-health.ts'
import { commitChange, launchChange } from '../federation/change-writes.ts'
import { type Federation, HEALTH_POLICY_HELD } from '../federation/federation.ts'
import { planChange } from '../federation/plan-change.ts'
import { includesRights } from '../grant/grant.ts'
import { clustersOfMembers, findLent, type UsedCluster } from '../grant/loans.ts'
import type { Membership } from '../membership/membership.ts'
import { namesElsewhere } from '../membership/membership-steps.ts'
import { memberEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import { isReady, mayJoin } from '../selector/follow.ts'
import { matcherOf } from '../selector/member-selector.ts'
import { NO_SELECTION } from '../selector/selector.ts'
import { type Condition, withCondition } from '../values/status.ts'
import { decidePolicy, type Left, leftOf, type Policed, type PolicyDecision } from './decide.ts'
import type { LeftUnhealthy } from './health-policy.ts'

type FederationKey = { projectId: string; id: string }

/** What is decided on, as it is stored. Undefined where there is no policy, or nothing may move. */
const readPoliced = async (ports: TablePorts, key: FederationKey): Promise<Policed | undefined> => {
  const federation = await ports.stores.federations.get(key)
  if (federation?.healthPolicy === undefined || federation.status.startsWith('DELETE_')) return undefined
  return isReady(federation) ? readAbout(ports, federation) : undefined
}

const readAbout = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  federation: Federation,
): Promise<Policed> => {
  const memberships = await stores.memberships.listOf(federation)
  const troubled = memberships.filter((it) => it.cordon || it.state === 'Degraded' || it.state === 'UnjoinFailed')
  const left = (federation.leftUnhealthy ?? []).filter(({ isLent }) => !isLent).map(({ clusterId }) => clusterId)
  const found = [
    ...(await clustersOfMembers(stores, troubled)),
    ...(left.length === 0 ? [] : await stores.clusters.getMany(federation.projectId, left)),
    ...(await lentOf({ stores, clock }, federation)),
  ]
  return { federation, memberships, clusters: new Map(found.map((it) => [it.id, it])), now: clock.now() }
}

/** Clusters of other projects that left, as far as grants still give them. */
const lentOf = async (ports: Pick<TablePorts, 'stores' | 'clock'>, federation: Federation): Promise<UsedCluster[]> => {
  const lent = (federation.leftUnhealthy ?? []).filter(({ isLent }) => isLent)
  const found = await Promise.all(
    lent.map(({ clusterId }) => findLent(ports, federation, { clusterId, side: 'member' })),
  )
  return found.filter((it) => it !== undefined)
}

type Driver = FederationDriverDescription
type Acting = { ports: TablePorts; policed: Policed; decision: PolicyDecision; driver: Driver }

/** False where the federation takes more than the grant gives. */
const isGiven = ({ policed, driver }: Acting, { grant }: UsedCluster): boolean =>
  grant === undefined || includesRights(grant.rights, rightsTaken(driver, policed.federation.properties).member)

/** False for one that a selector brought which does not want it any more. */
const isWanted = ({ policed: { federation } }: Acting, { entry, cluster }: Left): boolean => {
  const { memberSelector, selection } = federation
  if (entry.selectedBy === undefined || !memberSelector || cluster === undefined) return true
  if ((selection ?? NO_SELECTION).excluded.includes(cluster.id)) return false
  return entry.selectedBy !== memberSelector.id || matcherOf(memberSelector.wanted)(cluster)
}

/** A member whose API does not answer, or whose unjoin failed before, is not waited for. */
const isForced = ({ policed: { clusters } }: Acting, { clusterId, state }: Membership): boolean =>
  state === 'UnjoinFailed' || clusters.get(clusterId)?.observation?.healthReason.api !== 'ok'

const entryOf = (cluster: Cluster | undefined, membership: Membership, now: Date): LeftUnhealthy => ({
  clusterId: membership.clusterId,
  uid: cluster?.identity?.uid ?? null,
  since: now.toISOString(),
  ...(membership.selectedBy === undefined ? {} : { selectedBy: membership.selectedBy }),
  ...(membership.loan === undefined ? {} : { isLent: true }),
})

type Moves = { leave: Membership[]; join: Left[]; force: boolean }

/** Members that leave are remembered in the transaction that has them leave. */
const leftAfter = ({ policed }: Acting, { leave }: Moves): readonly LeftUnhealthy[] => {
  const { federation, clusters, now } = policed
  const before = federation.leftUnhealthy ?? []
  const known = new Set(before.map(({ clusterId }) => clusterId))
  return [
    ...before,
    ...leave.filter(({ clusterId }) => !known.has(clusterId)).map((it) => entryOf(clusters.get(it.clusterId), it, now)),
  ]
}

const eventsOf = ({ ports, policed: { federation, clusters } }: Acting, { leave, join }: Moves): Write[] => [
  ...leave.map((it) =>
    memberEvent(ports, it, {
      action: 'update',
      outcome: 'failure',
      reason: 'LeavesUnhealthy',
      message: `${it.memberName} leaves by the health policy. ${describeUnhealthy(clusters.get(it.clusterId)?.observation?.healthReason ?? {})}`,
    }),
  ),
  ...join.map(({ entry, membership }) =>
    memberEvent(
      ports,
      {
        projectId: federation.projectId,
        federationId: federation.id,
        clusterId: entry.clusterId,
        revision: membership?.revision ?? 0,
      },
      {
        action: 'update',
        outcome: 'success',
        reason: 'RejoinsHealthy',
        message: 'It joins again: its cluster is healthy.',
      },
    ),
  ),
]

/** Memberships that begin to move, and what is remembered of them, in one transaction. False when nothing is to be done. */
const move = async (acting: Acting, moves: Moves): Promise<boolean> => {
  const { ports, policed, driver, decision } = acting
  const { federation, memberships } = policed
  const clusters: UsedCluster[] = moves.join.flatMap(({ cluster }) => cluster ?? [])
  const elsewhere = await namesElsewhere(ports, driver, federation.id, clusters)
  const targets = { join: clusters, leave: moves.leave }
  const input = { federation, memberships, targets, driver, drivers: ports.drivers, elsewhere, force: moves.force }
  const plan = planChange(ports, input, null)
  if (plan === null) return false
  const selectedBy = new Map(moves.join.map(({ entry }) => [entry.clusterId, entry.selectedBy]))
  const steps = plan.steps.map((step) => {
    const selector = step.kind === 'join' ? selectedBy.get(step.cluster.id) : undefined
    return step.kind === 'join' && selector !== undefined
      ? { ...step, next: { ...step.next, selectedBy: selector } }
      : step
  })
  const { selection } = decision
  const whole = {
    ...plan,
    steps,
    update: {
      ...plan.update,
      leftUnhealthy: leftAfter(acting, moves),
      ...(moves.leave.length > 0 ? { selection } : {}),
    },
    writes: eventsOf(acting, moves),
  }
  await commitChange(ports, whole, driver, { identity: null })
  await launchChange(ports, whole)
  return true
}

/** True where the cluster is wanted and given still, and the rules of joins let it in. */
const isAble = async (acting: Acting, left: Left): Promise<boolean> => {
  const { ports, policed, driver } = acting
  const { federation, memberships } = policed
  const { cluster } = left
  if (cluster === undefined || !isWanted(acting, left) || !isGiven(acting, cluster)) return false
  return mayJoin(ports, { federation, memberships, driver, joins: [] }, cluster)
}

/** Clusters that join again now; of those that a selector brought as many as it has room for. */
const joinable = async (acting: Acting): Promise<Left[]> => {
  const { memberSelector, memberIds } = acting.policed.federation
  const room = (memberSelector?.memberLimit ?? Number.POSITIVE_INFINITY) - memberIds.length
  const able: Left[] = []
  for (const left of acting.decision.rejoin) if (await isAble(acting, left)) able.push(left)
  const selected = able.filter(({ entry }) => entry.selectedBy !== undefined).slice(0, Math.max(0, room))
  return able.filter((left) => left.entry.selectedBy === undefined || selected.includes(left))
}

const heldCondition = ({ policed, decision: { held } }: Acting): readonly Condition[] => {
  const { federation, now } = policed
  const { conditions, revision } = federation
  const before = conditions.find(({ type }) => type === HEALTH_POLICY_HELD)
  if (held === null && before?.status !== 'True') return conditions
  const told =
    held === null
      ? ({ status: 'False', reason: 'NotHeld', message: 'Nothing is held.' } as const)
      : ({
          status: 'True',
          reason: 'MoreThanHalf',
          message: `${held.count} of ${held.members} members are unhealthy at once, which is more than half: a fault of the network between is as likely. They stay as they are until fewer are, or until somebody removes them.`,
        } as const)
  if (before?.status === told.status && before.message === told.message) return conditions
  const about = { type: HEALTH_POLICY_HELD, observedRevision: revision + 1, changedAt: now.toISOString() }
  return withCondition(conditions, { ...about, ...told })
}

/** What is said and remembered of a federation. True when that was another. */
const remember = async (acting: Acting): Promise<boolean> => {
  const { ports, policed, decision } = acting
  const { federation } = policed
  const { federations } = ports.stores
  const conditions = heldCondition(acting)
  const unwanted = leftOf(policed).filter((it) => it.membership === undefined && !isWanted(acting, it))
  const gone = new Set([...decision.forget, ...unwanted.map(({ entry }) => entry.clusterId)])
  if (conditions === federation.conditions && gone.size === 0) return false
  const leftUnhealthy = (federation.leftUnhealthy ?? []).filter(({ clusterId }) => !gone.has(clusterId))
  await ports.stores.commit([
    federations.change(federation, { conditions, ...(gone.size === 0 ? {} : { leftUnhealthy }) }),
  ])
  return true
}

/** One transaction of cordons: the intent, which is put in force by who opens the control plane. */
const cordon = async ({ ports, policed, decision }: Acting): Promise<boolean> => {
  const { stores } = ports
  const { cordon: members, selection } = decision
  if (members.length === 0) return false
  const since = policed.now.toISOString()
  await stores.commit([
    stores.federations.change(policed.federation, { selection }),
    ...members.map((it) => stores.memberships.replace(it, { ...it, cordon: { since, isApplied: false } })),
  ])
  return true
}

const round = async (ports: TablePorts, key: FederationKey): Promise<{ more: boolean; uncordon: Membership[] }> => {
  const policed = await readPoliced(ports, key)
  if (policed === undefined) return { more: false, uncordon: [] }
  const { federation } = policed
  const decision = decidePolicy(policed)
  const acting = { ports, policed, decision, driver: ports.drivers.federation.resolve(federation.driver) }
  const isForcing = decision.leave.some((it) => isForced(acting, it))
  const leave = decision.leave.filter((it) => isForced(acting, it) === isForcing)
  const needsProof = decision.rejoin.length + leave.length > 0
  if (needsProof) await ports.stores.integrity.requireFederation(federation)
  const more =
    (await remember(acting)) ||
    (await cordon(acting)) ||
    (leave.length > 0 && (await move(acting, { leave, join: [], force: isForcing }))) ||
    (await rejoin(acting))
  return { more, uncordon: decision.uncordon }
}

const rejoin = async (acting: Acting): Promise<boolean> => {
  const join = await joinable(acting)
  return join.length > 0 && move(acting, { leave: [], join, force: false })
}

/** What a policy would have its members do now, whatever the pace. Changes nothing. @param federation with the policy */
export const previewPolicy = async (
  ports: Pick<TablePorts, 'stores' | 'clock'>,
  federation: Federation,
): Promise<{ leave: Cluster[]; cordon: Cluster[]; join: Cluster[] }> => {
  const policed = await readAbout(ports, federation)
  const { due, rejoin, held } = decidePolicy(policed)
  const of = (ids: readonly string[]): Cluster[] => ids.flatMap((id) => policed.clusters.get(id) ?? [])
  const those = held === null ? of(due.map(({ clusterId }) => clusterId)) : []
  const isUnjoin = federation.healthPolicy?.onUnhealthy === 'unjoin'
  return {
    leave: isUnjoin ? those : [],
    cordon: isUnjoin ? [] : those,
    join: rejoin.flatMap(({ cluster }) => cluster ?? []),
  }
}

/**
 * Does what a federation's policy asks for, as far as it may now, by what is and not by what changed: run again, it does what is left. Whoever changes the
 * federation at the same time meets its revision, and decides again.
 *
 * @returns members whose cordon is to be taken back at the control plane
 */
export const followHealthPolicy = async (ports: TablePorts, key: FederationKey): Promise<Membership[]> => {
  for (;;) {
    const { more, uncordon } = await retryOnConflict(() => round(ports, key))
    if (!more) return uncordon
  }
}
