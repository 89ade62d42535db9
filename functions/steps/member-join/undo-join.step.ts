import { supersede } from '../../operations/supersede.ts'
import { allLeftovers, type CleanUp, cleanedOrLeft, cleaning, deregistering } from '../member/clean-up.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { storedToken } from '../member/member-results.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step, StepPorts, StepState } from '../step.ts'

/** Undo ends with leftovers rather than waiting for long: the member's failure is what the user waits for. */
const undo = (ports: StepPorts, state: StepState, work: CleanUp) => {
  const look = cleanedOrLeft(ports, work)
  return withMember(ports, state, storedToken, async (subject) => {
    await supersede(ports, subject.membership.operation)
    return look(subject)
  })
}

/**
 * Task state `UndoJoin`: takes the member out of the control plane, then removes what was made in it. What can't be removed within
 * a step's time counts as left behind; nothing here fails the flow but a fault of the store.
 */
export const undoJoin: Step = async (ports, state) => {
  const { leftovers } = memberProgressOf(state.progress)
  const outOfHost = await undo(ports, state, deregistering)
  // The control plane may need its rights in the member until it has let go of it.
  const outOfMember = outOfHost.done ? await undo(ports, state, cleaning) : outOfHost
  return {
    done: outOfMember.done,
    waitSeconds: 2,
    leftovers: allLeftovers(leftovers, outOfHost.leftovers, outOfMember.leftovers),
  }
}
