import { PhaseTimedOut } from '../errors.ts'
import type { StepPorts } from '../step.ts'
import type { MemberSubject } from './member-subject.ts'

/** Seconds before the operation's deadline at which a step stops waiting, so that undo fits in before the reconciler acts. */
const UNDO_MARGIN_SECONDS = 60
/** Undo itself stops a little before it. */
export const END_MARGIN_SECONDS = 15

/** True when the operation's deadline is nearer than the margin. */
export const isLate = ({ membership }: MemberSubject, ports: StepPorts, marginSeconds: number): boolean =>
  ports.clock.now().getTime() > Date.parse(membership.operation.deadline) - marginSeconds * 1000

/**
 * Gives a result back if it is done or there is time to wait on.
 *
 * @throws PhaseTimedOut with what was awaited last
 */
export const inTime = <T extends { done: boolean; waitingFor?: string }>(
  ports: StepPorts,
  subject: MemberSubject,
  result: T,
): T => {
  if (result.done || !isLate(subject, ports, UNDO_MARGIN_SECONDS)) return result
  const what = result.waitingFor ?? 'the driver'
  throw new PhaseTimedOut(`${subject.membership.memberName} was not through in time; it was still waiting for ${what}.`)
}
