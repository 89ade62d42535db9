import { abandonUnjoin } from '../../operations/give-up.ts'
import { orSettle } from '../../operations/membership-end.ts'
import { openMembership } from '../../operations/subjects.ts'
import { failureOf } from '../failure-of.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `RecordUnjoinFailure`: still a member, with the reason; with `force` it goes all the same. */
export const recordUnjoinFailure: Step = async (ports, state) => {
  await orSettle(ports, state, async () => {
    const { operation } = await openMembership(ports, state)
    const { remarks } = memberProgressOf(state.progress)
    await abandonUnjoin(ports, state, failureOf(state, operation.failure), remarks)
  })
  return DONE
}
