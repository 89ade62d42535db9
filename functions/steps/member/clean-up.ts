import { isAppError } from '../../domain/app-error.ts'
import { mergeObjectRefs, type ObjectRef } from '../../domain/object-ref.ts'
import type { CleanResult } from '../../drivers/contract/federation-driver.ts'
import { OperationSuperseded } from '../../operations/errors.ts'
import type { StepPorts } from '../step.ts'
import { END_MARGIN_SECONDS, isLate } from './member-deadline.ts'
import type { MemberProgress } from './member-progress.ts'
import type { MemberSubject } from './member-subject.ts'

/** Milliseconds left below which a fault is taken as final: the next look would be too late. */
const LAST_LOOK_MS = 2000

/** Faults before something counts as left behind, however quickly they come. */
const TRIES_MIN = 3

/** One piece of clean-up work that must end whatever happens. */
export type CleanUp = {
  /** The cluster it works in; what was made there counts as left behind when it fails. */
  where: 'host' | 'member'
  act(subject: MemberSubject): Promise<CleanResult>
}

/** A control plane runs in the host. */
const isThere = (ref: ObjectRef, where: CleanUp['where']): boolean => (ref.where === 'member') === (where === 'member')

const given = (subject: MemberSubject, where: CleanUp['where']): CleanResult => ({
  done: true,
  leftovers: subject.membership.made.filter((ref) => isThere(ref, where)),
})

/** Done, or everything at that place counted as left behind because the operation's deadline is near. */
const resultOf = async (ports: StepPorts, { where, act }: CleanUp, subject: MemberSubject): Promise<CleanResult> => {
  const result = await act(subject)
  return result.done || !isLate(subject, ports, END_MARGIN_SECONDS) ? result : given(subject, where)
}

export type BestEffort = {
  look(subject: MemberSubject): Promise<CleanResult>
  /** Faults so far, by place: for the next step's `before`. */
  tries(): MemberProgress['tries']
}

/**
 * Clean-up work that turns faults into leftovers: a retryable one is looked at again, at least three times and as long as a step polls;
 * then, and when the operation's deadline is near, everything that was made at that place counts as left behind. For undo, and for
 * what `force` skips.
 *
 * @param before faults in earlier steps of this execution
 */
export const cleanedOrLeft = (ports: StepPorts, work: CleanUp, before: MemberProgress['tries']): BestEffort => {
  const lastLook = performance.now() + ports.pollMs - LAST_LOOK_MS
  let tries = before[work.where]
  const failed = (subject: MemberSubject, error: unknown): CleanResult => {
    if (!isAppError(error) || error instanceof OperationSuperseded) throw error
    tries += 1
    ports.log.warn('clean-up failed', { where: work.where, error: error.name, message: error.message, tries })
    const again = error.retryable && (tries < TRIES_MIN || performance.now() < lastLook)
    return again ? { done: false, waitingFor: `another try after: ${error.message}` } : given(subject, work.where)
  }
  return {
    look: (subject) => resultOf(ports, work, subject).catch((error: unknown) => failed(subject, error)),
    tries: () => ({ ...before, [work.where]: tries }),
  }
}

/** Takes the member out of the control plane. */
export const deregistering: CleanUp = { where: 'host', act: ({ driver, context }) => driver.deregisterMember(context) }

/** Removes what was made in the member. */
export const cleaning: CleanUp = { where: 'member', act: ({ driver, context }) => driver.cleanMember(context) }

/** All leftovers, each once. */
export const allLeftovers = (...lists: readonly (readonly ObjectRef[] | undefined)[]): ObjectRef[] =>
  lists.reduce<ObjectRef[]>((sum, more) => mergeObjectRefs(sum, more ?? []), [])
