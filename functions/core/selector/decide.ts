import { type FederationDriverDescription, rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import type { SelectorWork } from '../../store/selector.store.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type Federation, SELECTOR_FOLLOWED, SELECTOR_HELD } from '../federation/federation.ts'
import { isMember, type Membership } from '../membership/membership.ts'
import { type Condition, withCondition } from '../values/status.ts'
import { counted, listInWords, quote } from '../values/wording.ts'
import { matcherOf, mayBeSelected } from './member-selector.ts'
import { type MemberSelector, NO_SELECTION, type Selection } from './selector.ts'

/** Joins and leaves in one transaction at most: a join is three writes of it, and takes a piece of work away. */
const STEPS_MAX = 22
const MINUTE_MS = 60_000
/** From so many members on, more than half of them do not leave at once. */
const HOLD_FROM = 4

/** A federation that follows a selector, and what waits for it. */
export type Followed = {
  federation: Federation
  selector: MemberSelector
  memberships: readonly Membership[]
  driver: FederationDriverDescription
  work: readonly SelectorWork[]
  /** Those of the work that are still there, by id. */
  clusters: ReadonlyMap<string, Cluster>
  /** True where the rules of joins let a cluster in. */
  mayJoin(cluster: Cluster): boolean
  now: Date
}

type Kind = 'done' | 'join' | 'leave' | 'waits' | 'rights'
type Sorted = { work: SelectorWork; kind: Kind; cluster: Cluster | undefined; membership: Membership | undefined }

const kindOfWanted = (followed: Followed, cluster: Cluster, membership: Membership | undefined): Kind => {
  const { selector, driver, federation, mayJoin } = followed
  if (membership?.state === 'Leaving') return 'waits'
  if (membership !== undefined && isMember(membership)) return 'done'
  // When it joins again is for the policy that took it out.
  if (federation.leftUnhealthy?.some(({ clusterId }) => clusterId === cluster.id)) return 'done'
  const rights = rightsTaken(driver, federation.properties)
  if (!mayBeSelected(selector, cluster, rights)) return 'rights'
  return mayJoin(cluster) ? 'join' : 'done'
}

const kindOfUnwanted = ({ selector }: Followed, membership: Membership | undefined): Kind => {
  const isOurs = membership !== undefined && membership.selectedBy === selector.id && isMember(membership)
  if (!isOurs || membership.state === 'Leaving') return 'done'
  return membership.state === 'Waiting' ? 'waits' : 'leave'
}

const sortAll = (followed: Followed): Sorted[] => {
  const matches = matcherOf(followed.selector.wanted)
  const excluded = new Set(followed.federation.selection?.excluded)
  const memberships = new Map(followed.memberships.map((it) => [it.clusterId, it]))
  return followed.work.map((work) => {
    const id = work.clusterId ?? ''
    const [cluster, membership] = [followed.clusters.get(id), memberships.get(id)]
    const isWanted = cluster !== undefined && !excluded.has(id) && matches(cluster)
    const kind = isWanted ? kindOfWanted(followed, cluster, membership) : kindOfUnwanted(followed, membership)
    return { work, kind, cluster, membership }
  })
}

/** True for so many of the members that they are not taken away at once. */
export const isTooMany = (count: number, members: number): boolean => members >= HOLD_FROM && count > members / 2

/** How many of those that wait may be taken away now, by the pace: one a minute, or a quarter of all members. */
export const paceOf = (
  { minute }: Pick<Selection, 'minute'>,
  { members, waiting, now }: { members: number; waiting: number; now: Date },
): { allowed: number; minute: Selection['minute'] } => {
  const fresh = minute !== null && now.getTime() - Date.parse(minute.since) < MINUTE_MS ? minute : null
  const left = fresh?.left ?? 0
  const rate = Math.max(1, Math.floor((members + left) / 4)) - left
  const allowed = Math.max(0, Math.min(waiting, rate))
  return { allowed, minute: allowed > 0 ? { since: fresh?.since ?? now.toISOString(), left: left + allowed } : minute }
}

/** How many may leave now. Members that leave by somebody's request count among those that are unavailable. */
const leavesNow = (followed: Followed, selection: Selection, waiting: number): { allowed: number; next: Selection } => {
  const { memberships, selector, now } = followed
  const members = memberships.filter(isMember).length
  const leaving = memberships.filter(({ state }) => state === 'Leaving')
  const ours = leaving.filter(({ selectedBy }) => selectedBy === selector.id).length
  const isReleased = selection.isReleased && waiting > 0
  const isHeld = !isReleased && waiting > 0 && isTooMany(waiting + ours, members)
  const may = isHeld ? 0 : Math.min(waiting, selector.maxUnavailable - leaving.length)
  const { allowed, minute } = paceOf(selection, { members, waiting: may, now })
  return { allowed, next: { ...selection, isReleased, held: isHeld ? waiting : null, minute } }
}

/** What is to be done now, and what is said of the rest. */
export type Decided = {
  /** Nothing is to be done for them. */
  done: SelectorWork[]
  join: Cluster[]
  leave: Membership[]
  /** Of `join` and `leave`. */
  acted: SelectorWork[]
  /** More can be done at once than one transaction holds. */
  more: boolean
  selection: Selection
  conditions: readonly Condition[]
}

type Told = Pick<Condition, 'status' | 'reason' | 'message'>

const heldOf = ({ federation, memberships }: Followed, { held }: Selection): Told => {
  if (held === null) return { status: 'False', reason: 'NotHeld', message: 'Nothing is held.' }
  const members = memberships.filter(isMember).length
  return {
    status: 'True',
    reason: 'MoreThanHalf',
    message: `${held} of ${counted(members, 'member')} would leave, which is more than half. Repair labels or selector, or let them go by POST /v1/federations/${federation.id}/actions/release-selector.`,
  }
}

const followedOf = (waits: { limit: number; leaves: number; rights: Sorted[] }): Told => {
  if (waits.rights.length > 0) {
    const names = waits.rights.map(({ cluster }) => quote(cluster?.name ?? ''))
    const message = `Not selected: ${listInWords(names, 5)}. Who set the selector may not have them joined with the rights that the federation takes. Have somebody who may set it, or add them.`
    return { status: 'False', reason: 'RightsExceeded', message }
  }
  if (waits.limit > 0) {
    const message = `${counted(waits.limit, 'cluster')} can't join: "member_limit" is reached.`
    return { status: 'False', reason: 'MemberLimitReached', message }
  }
  return waits.leaves > 0
    ? { status: 'Unknown', reason: 'Waiting', message: `${counted(waits.leaves, 'member')} waiting to leave.` }
    : { status: 'True', reason: 'AllFollowed', message: 'All that is selected is a member, or on its way.' }
}

const withTold = (
  followed: Followed,
  conditions: readonly Condition[],
  type: string,
  told: Told,
): readonly Condition[] => {
  const before = conditions.find((it) => it.type === type)
  if (before?.status === told.status && before.message === told.message) return conditions
  // Of what never was there is nothing to say.
  if (before === undefined && type === SELECTOR_HELD && told.status === 'False') return conditions
  const about = { type, observedRevision: followed.federation.revision + 1, changedAt: followed.now.toISOString() }
  return withCondition(conditions, { ...about, ...told })
}

/** Decides what a selector does now: joins as far as there is room, leaves as far as the guards let it. */
export const decideSelection = (followed: Followed): Decided => {
  const { federation, selector, memberships } = followed
  const sorted = sortAll(followed)
  const of = (kind: Kind): Sorted[] => sorted.filter((it) => it.kind === kind)
  const [joins, leaves] = [of('join'), of('leave')]
  const room =
    selector.memberLimit === null
      ? joins.length
      : Math.max(0, selector.memberLimit - memberships.filter(isMember).length)
  const joining = joins.slice(0, Math.min(room, STEPS_MAX))
  const { allowed, next } = leavesNow(followed, federation.selection ?? NO_SELECTION, leaves.length)
  const leaving = leaves.slice(0, Math.min(allowed, STEPS_MAX - joining.length))
  const minute = next.minute && { ...next.minute, left: next.minute.left - (allowed - leaving.length) }
  const selection = { ...next, minute }
  const limit = Math.max(0, joins.length - room)
  const told = followedOf({ limit, leaves: leaves.length - leaving.length, rights: of('rights') })
  const conditions = withTold(followed, federation.conditions, SELECTOR_HELD, heldOf(followed, selection))
  return {
    done: of('done').map(({ work }) => work),
    join: joining.flatMap(({ cluster }) => cluster ?? []),
    leave: leaving.flatMap(({ membership }) => membership ?? []),
    acted: [...joining, ...leaving].map(({ work }) => work),
    more: joining.length < Math.min(room, joins.length) || leaving.length < allowed,
    selection,
    conditions: withTold(followed, conditions, SELECTOR_FOLLOWED, told),
  }
}
