import { endUnjoin } from '../../operations/membership-end.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `FinishUnjoin`: the membership is gone, and its federation settles when it was the last to move. */
export const finishUnjoin: Step = async (ports, state) => {
  const { leftovers, remarks } = memberProgressOf(state.progress)
  await endUnjoin(ports, state, { leftovers, remarks })
  return DONE
}
