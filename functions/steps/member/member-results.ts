import { isDeepStrictEqual } from 'node:util'
import type { Membership } from '../../domain/membership.ts'
import { mergeObjectRefs } from '../../domain/object-ref.ts'
import type { Secret } from '../../domain/secret.ts'
import type { PrepareResult } from '../../drivers/contract/federation-driver.ts'
import { madeBefore } from '../../drivers/contract/made-before.ts'
import type { StepResult } from '../../drivers/contract/phase.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { memberTokenKey, nextMemberTokenKey } from '../../operations/credentials.ts'
import { openMembership, type Target } from '../../operations/subjects.ts'
import type { StepPorts } from '../step.ts'

/** Stores what was made for a member, before anything else happens. Writes only what is new. @throws OperationSuperseded */
export const storeMade = (ports: StepPorts, target: Target, { made = [] }: StepResult): Promise<void> =>
  untilNoConflict(async () => {
    const membership = await openMembership(ports, target)
    const merged = mergeObjectRefs(membership.made, made)
    if (isDeepStrictEqual(merged, [...membership.made])) return
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, { ...membership, made: merged } as Membership),
    ])
  })

/**
 * Calls a driver's function, and stores also what it had made when it throws: undo has to find it, and to tell what it can't take back.
 *
 * @throws OperationSuperseded
 */
export const notingMade = async <T>(ports: StepPorts, target: Target, act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    const made = madeBefore(error)
    if (made.length > 0) await storeMade(ports, target, { done: false, made })
    throw error
  }
}

/**
 * Stores what preparing made, with the sealed credential in the same commit: a token that is not written down could not be found again,
 * and one whose objects are not could not be taken back.
 *
 * @throws OperationSuperseded
 */
export const storePrepared = async (ports: StepPorts, target: Target, result: PrepareResult): Promise<void> => {
  if (result.credential === undefined) return storeMade(ports, target, result)
  const { token, ...credential } = result.credential
  await untilNoConflict(async () => {
    const membership = await openMembership(ports, target)
    const made = mergeObjectRefs(membership.made, result.made ?? [])
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, { ...membership, made, credential } as Membership),
      await ports.stores.credentials.seal(memberTokenKey(membership), token),
    ])
  })
}

/** Stores a renewed credential beside the one in use, with what renewing made. @throws OperationSuperseded */
export const storeNextToken = async (
  ports: StepPorts,
  target: Target,
  { made = [] }: StepResult,
  token: Secret,
): Promise<void> =>
  untilNoConflict(async () => {
    const membership = await openMembership(ports, target)
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, {
        ...membership,
        made: mergeObjectRefs(membership.made, made),
      } as Membership),
      await ports.stores.credentials.seal(nextMemberTokenKey(membership), token),
    ])
  })
