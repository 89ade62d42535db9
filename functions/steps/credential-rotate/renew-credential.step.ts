import { nextToken } from '../../operations/member-context.ts'
import { supersede } from '../../operations/supersede.ts'
import { NothingToRenew } from '../errors.ts'
import { WAIT_SECONDS } from '../loop/progress.ts'
import { inTime } from '../member/member-deadline.ts'
import type { MemberProgress } from '../member/member-progress.ts'
import { notingMade, storeMade, storeNextToken } from '../member/member-results.ts'
import { withMember } from '../member/member-subject.ts'
import type { Step } from '../step.ts'

/**
 * Task state `RenewCredential`: a new, proved credential in the member, stored sealed beside the one in use. The driver sees no stored token
 * (`memberToken()` is undefined) until the new one is there.
 */
export const renewCredential: Step = async (ports, state) => {
  let credential: MemberProgress['credential'] = null
  const { done } = await withMember(ports, state, { tokenOf: nextToken }, async (subject) => {
    await supersede(ports, subject.membership.operation)
    const result = await notingMade(ports, state, () => subject.driver.prepareMember(subject.context))
    if (!result.done) {
      await storeMade(ports, state, result)
      return inTime(ports, subject, result)
    }
    if (result.credential === undefined) {
      throw new NothingToRenew(
        `Driver ${subject.driver.id} gave no new credential for ${subject.membership.memberName}.`,
      )
    }
    const { token, kind, expiresAt, renewAfter } = result.credential
    await storeNextToken(ports, state, result, token)
    credential = { kind, expiresAt, renewAfter }
    return result
  })
  return { done, waitSeconds: WAIT_SECONDS, credential }
}
