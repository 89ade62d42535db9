import { endJoin } from '../../operations/membership-end.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `FinishJoin`: the membership is Ready, and its federation settles when it was the last to move. */
export const finishJoin: Step = async (ports, state) => {
  await endJoin(ports, state, memberProgressOf(state.progress).remark)
  return DONE
}
