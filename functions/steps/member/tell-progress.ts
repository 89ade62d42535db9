import { isAppError } from '../../domain/app-error.ts'
import type { Membership } from '../../domain/membership.ts'
import { withoutFullStop } from '../../domain/wording.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { openMembership, type Target } from '../../operations/subjects.ts'
import type { StepPorts } from '../step.ts'

const withProgress = (membership: Membership, progress: string | undefined): Membership | undefined => {
  if (membership.state !== 'Joining' && membership.state !== 'Leaving') return undefined
  if (membership.progress === progress) return undefined
  const { progress: _, ...rest } = membership
  return progress === undefined ? rest : { ...rest, progress }
}

/** Says on a membership that moves what it waits for; undefined: nothing. Writes only what is new. @throws OperationSuperseded */
const tell = (ports: StepPorts, target: Target, progress: string | undefined): Promise<void> =>
  untilNoConflict(async () => {
    const membership = await openMembership(ports, target)
    const next = withProgress(membership, progress)
    if (next !== undefined) await ports.stores.commit([ports.stores.memberships.replace(membership, next)])
  })

/**
 * After a look: what it waits for, or nothing more. A look that is done at once reads and writes nothing here.
 *
 * @param title which step of which, "2/4 preparing"
 * @throws OperationSuperseded
 */
export const tellLook = async (
  ports: StepPorts,
  target: Target,
  title: string,
  { membership, result }: { membership: Membership; result: { done: boolean; waitingFor?: string } },
): Promise<void> => {
  const { done, waitingFor } = result
  const waiting = waitingFor === undefined ? title : `${title}: waiting for ${withoutFullStop(waitingFor)}`
  const progress = done ? undefined : waiting
  if (withProgress(membership, progress) !== undefined) await tell(ports, target, progress)
}

/** After a fault that the state machine tries again: what it was. What goes wrong here is logged only: the fault itself matters more. */
export const tellRetry = async (ports: StepPorts, target: Target, title: string, fault: unknown): Promise<void> => {
  if (!isAppError(fault) || !fault.retryable) return
  try {
    await tell(ports, target, `${title}: trying again: ${withoutFullStop(fault.message)}`)
  } catch (error) {
    ports.log.warn('progress not told', { error: isAppError(error) ? error.name : error })
  }
}
