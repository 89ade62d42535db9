import { type AppError, isAppError } from '../../domain/app-error.ts'
import { mergeObjectRefs } from '../../domain/object-ref.ts'
import { withoutFullStop } from '../../domain/wording.ts'
import { ManagementUnreachable } from '../../drivers/contract/errors.ts'
import type { StepResult } from '../../drivers/contract/phase.ts'
import { OperationSuperseded } from '../../operations/errors.ts'
import { PhaseNotTried, PhaseTimedOut } from '../errors.ts'
import { poll } from '../poll.ts'
import type { StepPorts } from '../step.ts'
import type { BoundPhase, LoopSubject } from './loop.ts'
import { type Progress, WAIT_SECONDS } from './progress.ts'

/** Tries of a phase whose failing does not end the flow. Two waits of 2 s between: a blip passes, a dead cluster costs seconds. */
const TRIES_MAX = 3
const RETRY_SECONDS = 2
/** A note is one line of an event; a driver's message can be long. */
const NOTE_MAX = 500

/** How phases are run: forwards or back, and whether one that fails ends the flow or is noted and passed over. */
export type Manner = {
  act(phase: BoundPhase): (() => Promise<StepResult>) | undefined
  lenient: boolean
  /** For `status_reason`: "2/4 waiting for …". */
  verb: string
}

type Run = { ports: StepPorts; subject: LoopSubject; manner: Manner; untilMs: number }
type Place = { phase: BoundPhase; index: number; total: number; deadline: string }

const waiting = (progress: Progress, waitSeconds: number): Progress => ({ ...progress, done: false, waitSeconds })

const look = async (run: Run, place: Place, act: () => Promise<StepResult>): Promise<StepResult> => {
  const result = await act()
  if (result.done) return result
  const { phase, index, total, deadline } = place
  const what = result.waitingFor ?? phase.title
  await run.subject.tell(`${index + 1}/${total} ${run.manner.verb} ${what}`)
  if (run.ports.clock.now().toISOString() <= deadline) return result
  throw new PhaseTimedOut(
    `Phase ${index + 1}/${total} (${phase.title}) was not over after ${phase.deadlineSeconds} s; it was still waiting for ${what}.`,
  )
}

/** A phase's fault where that does not end the flow: once more, or a note. */
const passOver = (run: Run, phase: BoundPhase, progress: Progress, error: unknown): Progress => {
  if (!(run.manner.lenient || phase.isLenient) || !isAppError(error) || error instanceof OperationSuperseded)
    throw error
  if (error instanceof PhaseNotTried) return { ...progress, done: true, notTried: [...progress.notTried, phase.title] }
  const tries = progress.tries + 1
  run.ports.log.warn('phase failed', { phase: phase.id, error: error.name, message: error.message, tries })
  if (error.retryable && tries < TRIES_MAX) return waiting({ ...progress, tries }, RETRY_SECONDS)
  const note = `${phase.title} failed (${error.name}: ${error.message})`.slice(0, NOTE_MAX)
  return { ...progress, done: true, notes: [...progress.notes, note] }
}

/** Says what is about to be tried again. What goes wrong here is logged only: the fault itself matters more. */
const tellRetry = async ({ ports, subject }: Run, { index, total }: Place, fault: unknown): Promise<void> => {
  if (!isAppError(fault) || !fault.retryable) return
  try {
    await subject.tell(`${index + 1}/${total} trying again: ${withoutFullStop(fault.message)}`)
  } catch (error) {
    ports.log.warn('progress not told', { error: isAppError(error) ? error.name : error })
  }
}

/** What makes the cluster is out of reach, which says nothing of the cluster: it comes back, within the phase's deadline or not. By force nothing is waited for. */
const mayWaitFor = ({ ports, subject, manner }: Run, { deadline }: Place, error: unknown): error is AppError =>
  error instanceof ManagementUnreachable &&
  !(manner.lenient && subject.operation.force) &&
  ports.clock.now().toISOString() <= deadline

const awaitManagement = async (
  { ports, subject, manner }: Run,
  { phase, index, total }: Place,
  { progress, error }: { progress: Progress; error: AppError },
): Promise<Progress> => {
  const { cause } = error
  ports.log.warn('management cluster out of reach', {
    phase: phase.id,
    fault: isAppError(cause) ? cause.message : null,
  })
  await subject.tell(`${index + 1}/${total} ${manner.verb} its management cluster: ${withoutFullStop(error.message)}`)
  return waiting(progress, WAIT_SECONDS)
}

const runOne = async (run: Run, place: Place, progress: Progress): Promise<Progress> => {
  const act = run.manner.act(place.phase)
  if (act === undefined) return { ...progress, done: true }
  try {
    const { done, leftovers = [], remarks = [] } = await poll(() => look(run, place, act), run.untilMs)
    if (!done) return waiting(progress, WAIT_SECONDS)
    return {
      ...progress,
      done: true,
      leftovers: mergeObjectRefs(progress.leftovers, leftovers),
      remarks: [...new Set([...progress.remarks, ...remarks])],
    }
  } catch (error) {
    if (mayWaitFor(run, place, error)) return await awaitManagement(run, place, { progress, error })
    await tellRetry(run, place, error)
    return passOver(run, place.phase, progress, error)
  }
}

/**
 * Goes through the phases from where `progress` is, as far as the time of one step allows, so that quick phases cost no transition
 * each. Returns where it stopped: `done` when none is left.
 *
 * @param phases in the order of this run
 * @throws PhaseTimedOut, and what phases throw, unless the manner is lenient
 */
export const runPhases = async (
  ports: StepPorts,
  subject: LoopSubject,
  { phases, manner, from }: { phases: readonly BoundPhase[]; manner: Manner; from: Progress },
): Promise<Progress> => {
  const run: Run = { ports, subject, manner, untilMs: performance.now() + ports.pollMs }
  const start = phases.findIndex((phase) => phase.id === from.phase)
  let progress: Progress = { ...from, done: false, waitSeconds: 0 }
  for (const [index, phase] of phases.entries()) {
    if (index < start) continue
    if (index !== start) progress = { ...progress, phase: phase.id, tries: 0, deadline: deadlineOf(ports, phase) }
    const deadline = progress.deadline ?? deadlineOf(ports, phase)
    progress = await runOne(run, { phase, index, total: phases.length, deadline }, { ...progress, done: false })
    if (!progress.done) return progress
  }
  return { ...progress, phase: null, deadline: null, done: true, waitSeconds: 0 }
}

const deadlineOf = (ports: StepPorts, phase: BoundPhase): string =>
  new Date(ports.clock.now().getTime() + phase.deadlineSeconds * 1000).toISOString()
