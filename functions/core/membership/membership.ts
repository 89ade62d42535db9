import type { Loan } from '../grant/grant.ts'
import type { Operation } from '../operation/operation.ts'
import type { ObjectRef } from '../values/object-ref.ts'
import { counted } from '../values/wording.ts'

type JoinOperation = Operation<'join'>
type UnjoinOperation = Operation<'unjoin'>
type RotateOperation = Operation<'rotate'>
export type MembershipOperation = JoinOperation | UnjoinOperation | RotateOperation

/** The credential that the control plane uses for this member. The secret itself is in the credential store. */
export type MemberCredential = {
  /** `token-secret` lives until it is deleted; `token-request` expires and is renewed by the flow `credential-rotate`. */
  kind: 'token-secret' | 'token-request'
  /** ISO-8601 UTC; null when it does not expire. */
  expiresAt: string | null
  /** ISO-8601 UTC when renewal is due; null when it never is. */
  renewAfter: string | null
  /** Renewals that failed since the last that did not; absent for none. */
  failures?: number
}

/** That a member takes no new workloads: decided first, then put in force at the control plane. */
export type MemberCordon = {
  /** ISO-8601 UTC. */
  since: string
  isApplied: boolean
}

type MembershipBase = {
  projectId: string
  federationId: string
  clusterId: string
  /** Name of the member at the control plane: RFC 1123 label, at most 48 characters, unique in the federation. */
  memberName: string
  /** From 1; each change adds 1 and is conditional on the value read. */
  revision: number
  /** The `MembershipChange` in which it last moved. */
  changeId: string
  /** ISO-8601 UTC when it entered its state. */
  since: string
  /** What the flows made for this member, in host and member. */
  made: readonly ObjectRef[]
  /** Null before one is stored. */
  credential: MemberCredential | null
  /** Of a cluster of another project; absent for one of the federation's own. */
  loan?: Loan
  /** Id of the selector that brought it; absent for one that somebody added. */
  selectedBy?: string
  /** No new workloads go there, since its cluster is unhealthy. Absent: they do. */
  cordon?: MemberCordon
  /** What was found missing or changed of what was made for it, in sentences: while that is made again, and after that was refused. */
  repair?: string
  /** As a cluster's. Kept by every change. */
  integrity?: string
}

/** What works in part only in a member that is ready, for example `ProxyDisabled`. */
export type MemberWarning = { reason: string; message: string }

/** What a flow that had to wait, or to try again, says about it; absent before it had to, and once that is over. */
type Progress = { progress?: string }

/** Asked for while the control plane was still coming up; the flow `federation-create` sends it on to Joining. */
export type WaitingMembership = MembershipBase & { state: 'Waiting' }
export type JoiningMembership = MembershipBase & Progress & { state: 'Joining'; operation: JoinOperation }
/** Part of the federation. `operation` is a credential rotation, which does not show. */
export type ReadyMembership = MembershipBase &
  Partial<MemberWarning> & {
    state: 'Ready'
    operation: RotateOperation | null
  }
/** Part of the federation, but the control plane or the health sweep sees a fault. */
export type DegradedMembership = MembershipBase & {
  state: 'Degraded'
  operation: RotateOperation | null
  reason: string
  message: string
}
export type LeavingMembership = MembershipBase & Progress & { state: 'Leaving'; operation: UnjoinOperation }
/** Undone and no longer a member; kept with its reason until retried (`add`) or dismissed (`remove`). */
export type JoinFailedMembership = MembershipBase & {
  state: 'JoinFailed'
  reason: string
  message: string
  /** What undo could not take back. */
  leftovers: readonly ObjectRef[]
}
/** Still a member: the unjoin ended before everything was removed. `remove` again, or with `?force=true`. */
export type UnjoinFailedMembership = MembershipBase & { state: 'UnjoinFailed'; reason: string; message: string }

export type Membership =
  | WaitingMembership
  | JoiningMembership
  | ReadyMembership
  | DegradedMembership
  | LeavingMembership
  | JoinFailedMembership
  | UnjoinFailedMembership

export type MembershipState = Membership['state']

/** Reason of a Degraded membership: what is missing of it could not be made again. */
export const REPAIR_REFUSED = 'RepairRefused'

/** True while a join or unjoin is under way or about to start. */
export const isProgressing = (membership: Pick<Membership, 'state'>): boolean =>
  membership.state === 'Waiting' || membership.state === 'Joining' || membership.state === 'Leaving'

/** True when the cluster counts in `member_ids`. */
export const isMember = (membership: Pick<Membership, 'state'>): boolean => membership.state !== 'JoinFailed'

/** The operation under way, whatever its kind; null when none is. */
export const operationOf = (membership: Membership): MembershipOperation | null =>
  'operation' in membership ? membership.operation : null

/** `<federation id>:<cluster id>`: a membership's id in flow inputs. */
export const membershipEntityId = (membership: Pick<Membership, 'federationId' | 'clusterId'>): string =>
  `${membership.federationId}:${membership.clusterId}`

/** In place of what is said of another project's cluster: messages name addresses, nodes and versions, which are its owner's to see. */
export const WITHHELD = "The cluster is another project's, which sees the details."

/** As `faultOf`, with all that is known: for the owner of the cluster. */
export const wholeFaultOf = (membership: Membership): { reason: string; message: string } | undefined =>
  membership.state === 'Degraded' || membership.state === 'JoinFailed' || membership.state === 'UnjoinFailed'
    ? { reason: membership.reason, message: membership.message }
    : undefined

/** What keeps it from being as it was asked for; undefined when nothing does. A warning on a ready one is no fault. */
export const faultOf = (membership: Membership): { reason: string; message: string } | undefined => {
  const fault = wholeFaultOf(membership)
  return fault && membership.loan !== undefined ? { ...fault, message: WITHHELD } : fault
}

/** Members named in a sentence before it says "and 7 more". */
const NAMED_MAX = 10

/** What the flow of a membership that moves waits for now; null when it rests, or has not had to wait, or that is another project's to see. */
export const progressOf = (membership: Membership): string | null =>
  membership.loan === undefined ? wholeProgressOf(membership) : null

/** As `progressOf`, for the owner of the cluster. */
export const wholeProgressOf = (membership: Membership): string | null =>
  'progress' in membership ? (membership.progress ?? null) : null

const named = (membership: Membership): string => {
  const progress = progressOf(membership)
  return progress === null ? membership.memberName : `${membership.memberName}: ${progress}`
}

/** Those that have something to say come first: they are what the others are waited with. */
const listed = (memberships: readonly Membership[]): string => {
  const telling = memberships.filter((membership) => progressOf(membership) !== null)
  const ordered = [...telling, ...memberships.filter((membership) => progressOf(membership) === null)]
  const more = ordered.length - NAMED_MAX
  return ordered.slice(0, NAMED_MAX).map(named).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

const MOVES = [
  ['Waiting', 'waiting for the control plane'],
  ['Joining', 'joining'],
  ['Leaving', 'leaving'],
] as const

/**
 * Which members move and what each waits for, for `status_reason`: "2 of 3 members joining: a: 2/4 preparing: waiting for a token; b".
 * Null when none moves.
 */
export const describeMoves = (memberships: readonly Membership[]): string | null => {
  if (!memberships.some(isProgressing)) return null
  const all = counted(memberships.filter(isMember).length, 'member')
  const groups = MOVES.map(([state, verb]) => ({ verb, those: memberships.filter((it) => it.state === state) }))
  return groups
    .filter(({ those }) => those.length > 0)
    .map(({ verb, those }) => `${those.length} of ${all} ${verb}: ${listed(those)}`)
    .join('; ')
}

/** Longest member name: leaves 15 characters for prefixes within the 63 of a DNS label (`karmada-es-` and the like). */
export const MEMBER_NAME_MAX = 48

/** FNV-1a, 32 bit, as 7 base-36 digits: enough to tell names apart that became equal, and no dependency. */
const hash = (text: string): string => {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0
  return value.toString(36).padStart(7, '0')
}

const clean = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')

/**
 * The name of a cluster at a control plane: an RFC 1123 label of at most 48 characters, the cluster's own name where that is
 * one already and is free; otherwise cleaned, cut and made distinct with a hash of cluster id and name.
 *
 * @param taken names in use in the federation, and others that it must not be
 * @param salt makes the name distinct from those that the cluster gets with another one: the federation's id
 */
export const memberNameFor = (cluster: { id: string; name: string }, taken: ReadonlySet<string>, salt = ''): string => {
  const cleaned = clean(cluster.name)
  if (cleaned === cluster.name && cleaned.length <= MEMBER_NAME_MAX && !taken.has(cleaned)) return cleaned
  const suffix = hash([cluster.id, cluster.name, ...(salt === '' ? [] : [salt])].join('/'))
  const room = MEMBER_NAME_MAX - suffix.length - 1
  return `${(cleaned || 'cluster').slice(0, room).replace(/-+$/, '')}-${suffix}`
}
