import { PreflightFailed } from '../../drivers/contract/errors.ts'
import { storedToken } from '../../operations/member-context.ts'
import { supersede } from '../../operations/supersede.ts'
import { withMember } from '../member/member-subject.ts'
import { DONE, type Step } from '../step.ts'

/** Task state `CheckMember`: the driver's preflight; changes nothing. @throws PreflightFailed listing every finding that refuses */
export const checkMember: Step = (ports, state) =>
  withMember(ports, state, { tokenOf: storedToken, title: '1/4 checking' }, async ({ driver, context, membership }) => {
    await supersede(ports, membership.operation)
    const { findings } = await driver.checkMember(context)
    const refusals = findings.filter((finding) => finding.severity === 'error')
    if (refusals.length === 0) return DONE
    throw new PreflightFailed(refusals.map(({ reason, message }) => `${reason}: ${message}`).join(' '))
  })
