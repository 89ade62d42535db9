import { storedToken } from '../../operations/member-context.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { allLeftovers, cleanedOrLeft, cleaning } from '../member/clean-up.ts'
import { inTime } from '../member/member-deadline.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step } from '../step.ts'

/**
 * Task state `CleanMember`: removes what joining made in the member. With `force`, and when the member's cluster is no longer registered (so
 * that no further try could help), what can't be removed counts as left behind.
 */
export const cleanMember: Step = async (ports, state) => {
  const { leftovers, tries, remarks } = memberProgressOf(state.progress)
  const forced = cleanedOrLeft(ports, cleaning, tries)
  const result = await withMember(ports, state, { tokenOf: storedToken, title: '2/2 cleaning' }, async (subject) => {
    const bestEffort = subject.membership.operation.force || !subject.memberKnown
    return bestEffort ? forced.look(subject) : inTime(ports, subject, await cleaning.act(subject))
  })
  return {
    done: result.done,
    waitSeconds: WAIT_SECONDS,
    tries: forced.tries(),
    leftovers: allLeftovers(leftovers, result.leftovers),
    remarks,
  }
}
