import { isAppError } from '../../domain/app-error.ts'
import { OperationSuperseded } from '../../operations/errors.ts'
import { storedToken } from '../../operations/member-context.ts'
import { endRotateFailed } from '../../operations/membership-end.ts'
import { openMembership } from '../../operations/subjects.ts'
import { supersede } from '../../operations/supersede.ts'
import { failureOf } from '../failure-of.ts'
import { withMember } from '../member/member-subject.ts'
import { DONE, type Step, type StepPorts, type StepState } from '../step.ts'

/** Registers the member with the credential that stays, in case the renewed one was published. A fault is told in the log and the event. */
const publishOldAgain = async (ports: StepPorts, state: StepState): Promise<string | null> => {
  try {
    const { done } = await withMember(ports, state, { tokenOf: storedToken }, ({ driver, context }) =>
      driver.registerMember(context),
    )
    return done ? null : 'The control plane has not taken the old credential back yet.'
  } catch (error) {
    if (!isAppError(error) || error instanceof OperationSuperseded) throw error
    ports.log.warn('old credential not published again', { error: error.name, message: error.message })
    return `The old credential could not be published again: ${error.message}`
  }
}

/** Task state `RecordRotateFailure`: the old credential stays, and renewal is tried again later. */
export const recordRotateFailure: Step = async (ports, state) => {
  const { operation } = await openMembership(ports, state)
  await supersede(ports, operation)
  const failure = failureOf(state, operation.failure)
  const note = await publishOldAgain(ports, state)
  await endRotateFailed(ports, state, { ...failure, message: [failure.message, note ?? ''].join(' ').trim() })
  return DONE
}
