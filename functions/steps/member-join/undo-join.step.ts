import { storedToken } from '../../operations/member-context.ts'
import { supersede } from '../../operations/supersede.ts'
import { allLeftovers, type CleanUp, cleanedOrLeft, cleaning, deregistering } from '../member/clean-up.ts'
import { type MemberProgress, memberProgressOf } from '../member/member-progress.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step, StepPorts, StepState } from '../step.ts'

/** Undo ends with leftovers rather than waiting for long: the member's failure is what the user waits for. */
const undo = async (ports: StepPorts, state: StepState, work: CleanUp, before: MemberProgress['tries']) => {
  const { look, tries } = cleanedOrLeft(ports, work, before)
  const result = await withMember(
    ports,
    state,
    { tokenOf: storedToken, title: 'undoing the join' },
    async (subject) => {
      await supersede(ports, subject.membership.operation)
      return look(subject)
    },
  )
  return { ...result, tries: tries() }
}

/**
 * Task state `UndoJoin`: takes the member out of the control plane, then removes what was made in it. What can't be removed after a few
 * tries counts as left behind; nothing here fails the flow but a fault of the store.
 */
export const undoJoin: Step = async (ports, state) => {
  const { leftovers, tries } = memberProgressOf(state.progress)
  const outOfHost = await undo(ports, state, deregistering, tries)
  // The control plane may need its rights in the member until it has let go of it.
  const outOfMember = outOfHost.done ? await undo(ports, state, cleaning, outOfHost.tries) : outOfHost
  return {
    done: outOfMember.done,
    waitSeconds: 2,
    tries: outOfMember.tries,
    leftovers: allLeftovers(leftovers, outOfHost.leftovers, outOfMember.leftovers),
  }
}
