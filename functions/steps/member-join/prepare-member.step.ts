import { storedToken } from '../../operations/member-context.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { inTime } from '../member/member-deadline.ts'
import { notingMade, storePrepared } from '../member/member-results.ts'
import { withMember } from '../member/member-subject.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `PrepareMember`: account, rights and a proved credential in the member, stored sealed. */
export const prepareMember: Step = async (ports, state) => {
  const { done } = await withMember(ports, state, { tokenOf: storedToken, title: '2/4 preparing' }, async (subject) => {
    const result = await notingMade(ports, state, () => subject.driver.prepareMember(subject.context))
    await storePrepared(ports, state, result)
    return inTime(ports, subject, result)
  })
  return done ? DONE : { done, waitSeconds: WAIT_SECONDS }
}
