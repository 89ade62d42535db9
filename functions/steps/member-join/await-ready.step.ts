import type { MemberRemark } from '../../domain/membership.ts'
import type { MemberObservation } from '../../drivers/contract/federation-driver.ts'
import { storedToken } from '../../operations/member-context.ts'
import { remarkOf } from '../../operations/member-remark.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { inTime } from '../member/member-deadline.ts'
import { withMember } from '../member/member-subject.ts'
import { DONE, type Step } from '../step.ts'

const describe = (seen: MemberObservation): string =>
  seen.state === 'not-ready' ? `${seen.reason}: ${seen.message}` : 'the control plane to know it'

/** Task state `AwaitReady`: until the control plane says that the member works. @throws PhaseTimedOut with what it said last */
export const awaitReady: Step = async (ports, state) => {
  let remark: MemberRemark | null = null
  const { done } = await withMember(
    ports,
    state,
    { tokenOf: storedToken, title: '4/4 becoming ready' },
    async (subject) => {
      const seen = await subject.driver.observeMember(subject.context)
      if (seen.state === 'ready') remark = remarkOf(seen)
      return inTime(ports, subject, { done: seen.state === 'ready', waitingFor: describe(seen) })
    },
  )
  return done ? { ...DONE, remark } : { done, waitSeconds: WAIT_SECONDS }
}
