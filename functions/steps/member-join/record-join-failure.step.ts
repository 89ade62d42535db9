import { mergeObjectRefs } from '../../domain/object-ref.ts'
import { endJoinFailed, orSettle } from '../../operations/membership-end.ts'
import { openMembership } from '../../operations/subjects.ts'
import { failureOf } from '../failure-of.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `RecordJoinFailure`: JoinFailed, out of the federation, with what undo could not take back. */
export const recordJoinFailure: Step = async (ports, state) => {
  await orSettle(ports, state, async () => {
    const { operation, made } = await openMembership(ports, state)
    const { done, leftovers } = memberProgressOf(state.progress)
    // Undo that did not come to its end may have left anything behind.
    const left = done ? leftovers : mergeObjectRefs(leftovers, made)
    await endJoinFailed(ports, state, failureOf(state, operation.failure), left)
  })
  return DONE
}
