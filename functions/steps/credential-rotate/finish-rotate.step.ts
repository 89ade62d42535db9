import { endRotate } from '../../operations/membership-end.ts'
import { NothingToRenew } from '../errors.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `FinishRotate`: the renewed credential takes the place of the old one. */
export const finishRotate: Step = async (ports, state) => {
  const { credential } = memberProgressOf(state.progress)
  if (credential === null) throw new NothingToRenew('The flow came to its end without a renewed credential.')
  await endRotate(ports, state, credential)
  return DONE
}
