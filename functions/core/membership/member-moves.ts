import { counted } from '../values/wording.ts'
import { isMember, isProgressing, type Membership } from './membership.ts'

/** Members named in a sentence before it says "and 7 more". */
const NAMED_MAX = 10

/** What the flow of a membership that moves waits for now; null when it rests, or has not had to wait. */
export const progressOf = (membership: Membership): string | null =>
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
