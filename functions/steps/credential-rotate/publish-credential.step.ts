import { nextToken } from '../../operations/member-context.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { inTime } from '../member/member-deadline.ts'
import { memberProgressOf } from '../member/member-progress.ts'
import { notingMade, storeMade } from '../member/member-results.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step } from '../step.ts'

/** Task state `PublishCredential`: gives the control plane the renewed credential, by registering the member with it. */
export const publishCredential: Step = async (ports, state) => {
  const { credential } = memberProgressOf(state.progress)
  const { done } = await withMember(ports, state, { tokenOf: nextToken }, async (subject) => {
    const result = await notingMade(ports, state, () => subject.driver.registerMember(subject.context))
    await storeMade(ports, state, result)
    return inTime(ports, subject, result)
  })
  return { done, waitSeconds: WAIT_SECONDS, credential }
}
