import { endUnjoin } from '../../operations/membership-end.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `FinishUnjoin`: the membership is gone, and its federation settles when it was the last to move. */
export const finishUnjoin: Step = async (ports, state) => {
  await endUnjoin(ports, state, memberProgressOf(state.progress).leftovers)
  return DONE
}
