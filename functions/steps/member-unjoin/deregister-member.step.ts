import { storedToken } from '../../operations/member-context.ts'
import { supersede } from '../../operations/supersede.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { allLeftovers, type CleanUp, cleanedOrLeft, deregistering } from '../member/clean-up.ts'
import { inTime } from '../member/member-deadline.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step } from '../step.ts'

/** Keeps what the first look that knew of any says of workloads: later ones no longer see all. */
const noting = (said: string[]): CleanUp => ({
  ...deregistering,
  act: async (subject) => {
    const result = await deregistering.act(subject)
    if (said.length === 0) said.push(...(result.remarks ?? []))
    return result
  },
})

/** Task state `DeregisterMember`: takes the member out of the control plane. With `force` a fault there counts as left behind. */
export const deregisterMember: Step = async (ports, state) => {
  const { leftovers, tries, remarks } = memberProgressOf(state.progress)
  const said = [...remarks]
  const work = noting(said)
  const forced = cleanedOrLeft(ports, work, tries)
  const result = await withMember(
    ports,
    state,
    { tokenOf: storedToken, title: '1/2 deregistering' },
    async (subject) => {
      const { operation } = subject.membership
      await supersede(ports, operation)
      return operation.force ? forced.look(subject) : inTime(ports, subject, await work.act(subject))
    },
  )
  return {
    done: result.done,
    waitSeconds: WAIT_SECONDS,
    tries: forced.tries(),
    leftovers: allLeftovers(leftovers, result.leftovers),
    remarks: said,
  }
}
