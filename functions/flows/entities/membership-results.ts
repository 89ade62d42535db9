import { isDeepStrictEqual } from 'node:util'
import { memberTokenKey, nextMemberTokenKey } from '../../core/access/credentials.ts'
import type { MemberCredential, Membership } from '../../core/membership/membership.ts'
import { atHandFirst, retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { type MembershipUnder, openMembership, type Target } from '../../core/operation/subjects.ts'
import { mergeObjectRefs, withoutObjectRefs } from '../../core/values/object-ref.ts'
import type { PrepareResult } from '../../drivers/contract/federation-driver.ts'
import { madeBefore, type StepResult } from '../../drivers/contract/phase.ts'
import type { Write } from '../../store/write.ts'
import type { StepPorts } from '../step.ts'

/** A membership as it was read for a call of a driver, and where to read it again. */
export type ReadMembership = { ports: StepPorts; target: Target; membership: MembershipUnder }

/** Changes a membership under an operation; reads it again only when another writer came between. @throws OperationSuperseded */
const changeMembership = (
  { ports, target, membership }: ReadMembership,
  update: (membership: MembershipUnder) => Membership,
  more: (membership: MembershipUnder) => Promise<Write[]> = async () => [],
): Promise<void> => {
  const read = atHandFirst(membership, () => openMembership(ports, target))
  return retryOnConflict(async () => {
    const before = await read()
    const next = update(before)
    const writes = await more(before)
    if (writes.length === 0 && isDeepStrictEqual(next, before)) return
    await ports.stores.commit([ports.stores.memberships.replace(before, next), ...writes])
  })
}

const withMade = (membership: MembershipUnder, { made = [], gone = [] }: StepResult): Membership =>
  ({ ...membership, made: mergeObjectRefs(withoutObjectRefs(membership.made, gone), made) }) as Membership

/** Stores what was made for a member, and forgets what is gone, before anything else happens. Writes only what is new. @throws OperationSuperseded */
export const storeMade = (read: ReadMembership, result: StepResult): Promise<void> =>
  changeMembership(read, (membership) => withMade(membership, result))

/**
 * Calls a driver's function, and stores also what it had made when it throws: undo has to find it, and to tell what it can't take back.
 *
 * @throws OperationSuperseded
 */
export const notingMade = async <T>(read: ReadMembership, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    const made = madeBefore(error)
    if (made.length > 0) await storeMade(read, { done: false, made })
    throw error
  }
}

type Prepared = NonNullable<PrepareResult['credential']>

/** The credential without its token. */
export const factsOf = ({ token: _, ...credential }: Prepared): MemberCredential => credential

/**
 * Stores what preparing made, with the sealed credential in the same commit: a token that is not written down could not be found again,
 * and one whose objects are not could not be taken back.
 *
 * @throws OperationSuperseded
 */
export const storePrepared = (read: ReadMembership, result: PrepareResult): Promise<void> => {
  const { credential } = result
  if (credential === undefined) return storeMade(read, result)
  return changeMembership(
    read,
    (membership) => ({ ...withMade(membership, result), credential: factsOf(credential) }) as Membership,
    async (membership) => [await read.ports.stores.credentials.seal(memberTokenKey(membership), credential.token)],
  )
}

/** Stores a renewed credential beside the one in use, with what renewing made. @throws OperationSuperseded */
export const storeRenewed = (read: ReadMembership, result: PrepareResult, { token }: Prepared): Promise<void> =>
  changeMembership(
    read,
    (membership) => withMade(membership, result),
    async (membership) => [await read.ports.stores.credentials.seal(nextMemberTokenKey(membership), token)],
  )

const withProgress = (membership: MembershipUnder, progress: string | undefined): Membership => {
  if (membership.state !== 'Joining' && membership.state !== 'Leaving') return membership
  const { progress: _, ...rest } = membership
  return progress === undefined ? rest : { ...rest, progress }
}

/** Says on a membership that moves what it waits for; undefined: nothing. Writes only what is new. @throws OperationSuperseded */
export const reportProgress = async (ports: StepPorts, target: Target, progress: string | undefined): Promise<void> => {
  const membership = await openMembership(ports, target)
  await changeMembership({ ports, target, membership }, (read) => withProgress(read, progress))
}
