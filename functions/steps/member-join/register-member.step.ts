import { storedToken } from '../../operations/member-context.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { inTime } from '../member/member-deadline.ts'
import { notingMade, storeMade } from '../member/member-results.ts'
import { withMember } from '../member/member-subject.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `RegisterMember`: makes the member known to the control plane. */
export const registerMember: Step = async (ports, state) => {
  const { done } = await withMember(
    ports,
    state,
    { tokenOf: storedToken, title: '3/4 registering' },
    async (subject) => {
      const result = await notingMade(ports, state, () => subject.driver.registerMember(subject.context))
      await storeMade(ports, state, result)
      return inTime(ports, subject, result)
    },
  )
  return done ? DONE : { done, waitSeconds: WAIT_SECONDS }
}
