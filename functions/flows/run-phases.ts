import { isDeepStrictEqual } from 'node:util'
import { OperationSuperseded } from '../core/errors.ts'
import { type AppError, isAppError } from '../core/values/app-error.ts'
import { mergeObjectRefs } from '../core/values/object-ref.ts'
import { withoutFullStop } from '../core/values/wording.ts'
import { ManagementUnreachable } from '../drivers/contract/errors.ts'
import { warningsIn } from '../drivers/contract/phase.ts'
import { type BoundPhase, type LoopSubject, type PhaseResult, poll } from './loop.ts'
import { type Progress, waitSecondsAfter } from './progress.ts'
import { PhaseNotTried, PhaseTimedOut, type StepPorts } from './step.ts'

/** Tries of a phase whose failing does not end the flow. Two waits of 2 s between: a blip passes, a dead cluster costs seconds. */
const TRIES_MAX = 3
const RETRY_SECONDS = 2
/** A note is one line of an event; a driver's message can be long. */
const NOTE_MAX = 500

/** Seconds before the operation's deadline at which a phase stops waiting: undo fits in before the reconciler acts, and the end of undo. */
const MARGIN_SECONDS = { do: 60, undo: 15 }

/** Milliseconds after which a step begins no other phase: one that begins then still has 25 s for its calls (`CALLS_MS`). */
const BEGIN_MS = 30_000

/** How phases are run: forwards or back, and whether one that fails ends the flow or is noted and passed over. */
export type Manner = {
  act(phase: BoundPhase): (() => Promise<PhaseResult>) | undefined
  lenient: boolean
  undoes?: boolean
}

type Run = { ports: StepPorts; subject: LoopSubject; manner: Manner; begunMs: number; warnings: string[] }
type Place = { phase: BoundPhase; deadline: string }

const pause = (progress: Progress, waiting: string | null, waitSeconds: number): Progress => ({
  ...progress,
  done: false,
  waiting,
  waitSeconds,
})

const isPast = ({ ports }: Run, deadline: string): boolean => ports.clock.now().toISOString() > deadline

const timedOut = ({ phase, deadline }: Place, progress: Progress, what: string): PhaseTimedOut => {
  const { position, of } = progress
  const bound = deadline === progress.deadline ? `after ${phase.deadlineSeconds} s` : 'in time'
  return new PhaseTimedOut(
    `Phase ${position}/${of} (${phase.title}) was not over ${bound}; it was still waiting for ${what}.`,
  )
}

/** One call of the phase. What it waits for is reported; a phase that is done waits for nothing more. */
const observe = async (
  run: Run,
  place: Place,
  { progress, act }: { progress: Progress; act: () => Promise<PhaseResult> },
): Promise<PhaseResult> => {
  const result = await act()
  run.warnings.push(...warningsIn(result))
  if (result.done) {
    await run.subject.takeBack?.(said(run, progress, place))
    return result
  }
  await run.subject.report(said(run, progress, place, result.waitingFor && `waiting for ${result.waitingFor}`))
  if (!isPast(run, place.deadline)) return result
  throw timedOut(place, progress, result.waitingFor ?? place.phase.title)
}

/** For `status_reason`: "3/9 certificates: waiting for …". */
const said = ({ manner }: Run, { position, of }: Progress, { phase }: Place, what?: string): string =>
  [`${position}/${of} ${manner.undoes ? 'undoing ' : ''}${phase.title}`, ...(what ? [withoutFullStop(what)] : [])].join(
    ': ',
  )

/** A phase that is given up where that does not end the flow: what stays, else a note. */
const givenUp = async (phase: BoundPhase, progress: Progress, error: AppError): Promise<Progress> => {
  if (phase.leftBehind) {
    const leftovers = mergeObjectRefs(progress.leftovers, await phase.leftBehind())
    return { ...progress, done: true, leftovers }
  }
  const note = `${phase.title} failed (${error.name}: ${error.message})`.slice(0, NOTE_MAX)
  return { ...progress, done: true, notes: [...progress.notes, note] }
}

/** A phase's fault where that does not end the flow: once more, or given up. */
const passOver = async (run: Run, phase: BoundPhase, progress: Progress, error: unknown): Promise<Progress> => {
  if (!(run.manner.lenient || phase.isLenient) || !isAppError(error) || error instanceof OperationSuperseded)
    throw error
  if (error instanceof PhaseNotTried) return { ...progress, done: true, notTried: [...progress.notTried, phase.title] }
  const tries = progress.tries + 1
  run.ports.log.warn('phase failed', { phase: phase.id, error: error.name, message: error.message, tries })
  if (!error.retryable || tries >= TRIES_MAX) return givenUp(phase, progress, error)
  return pause({ ...progress, tries }, `another try after: ${error.message}`, RETRY_SECONDS)
}

/** Says what is about to be tried again. What goes wrong here is logged only: the fault itself matters more. */
const reportRetry = async (run: Run, place: Place, progress: Progress, fault: unknown): Promise<void> => {
  if (!isAppError(fault) || !fault.retryable) return
  try {
    await run.subject.report(said(run, progress, place, `trying again: ${fault.message}`))
  } catch (error) {
    run.ports.log.warn('progress not told', { error: isAppError(error) ? error.name : error })
  }
}

/** What makes the cluster is out of reach, which says nothing of the cluster: it comes back, within the phase's deadline or not. By force nothing is waited for. */
const mayWaitFor = (run: Run, { deadline }: Place, error: unknown): error is AppError =>
  error instanceof ManagementUnreachable &&
  !(run.manner.lenient && run.subject.operation.force) &&
  !isPast(run, deadline)

/** Seconds until the phase is looked at again: the longer it has taken, the longer. */
const waitFor = ({ ports }: Run, { phase }: Place, { deadline }: Progress): number => {
  const leftMs = deadline === null ? 0 : Date.parse(deadline) - ports.clock.now().getTime()
  return waitSecondsAfter(phase.deadlineSeconds - leftMs / 1000)
}

const awaitManagement = async (run: Run, place: Place, progress: Progress, error: AppError): Promise<Progress> => {
  const { cause } = error
  const { log } = run.ports
  log.warn('management cluster out of reach', {
    phase: place.phase.id,
    fault: isAppError(cause) ? cause.message : null,
  })
  const waiting = `its management cluster: ${error.message}`
  await run.subject.report(said(run, progress, place, `waiting for ${waiting}`))
  return pause(progress, waiting, waitFor(run, place, progress))
}

const withWarnings = ({ warnings }: Run, progress: Progress): Progress => ({
  ...progress,
  warnings: [...new Set([...progress.warnings, ...warnings])],
})

const runOne = async (run: Run, place: Place, progress: Progress): Promise<Progress> => {
  const { phase } = place
  const act = run.manner.act(phase)
  if (act === undefined) return { ...progress, done: true }
  try {
    const untilMs = run.begunMs + run.ports.pollMs
    const result = await poll(() => observe(run, place, { progress, act }), untilMs)
    const heard = withWarnings(run, progress)
    if (!result.done) return pause(heard, result.waitingFor ?? phase.title, waitFor(run, place, progress))
    const leftovers = mergeObjectRefs(progress.leftovers, result.leftovers ?? [])
    return { ...heard, done: true, leftovers, carried: { ...progress.carried, ...result.carried } }
  } catch (error) {
    if (mayWaitFor(run, place, error)) return await awaitManagement(run, place, progress, error)
    await reportRetry(run, place, progress, error)
    return passOver(run, phase, withWarnings(run, progress), error)
  }
}

const heardOf = ({ notes, leftovers, warnings, carried }: Progress) => ({ notes, leftovers, warnings, carried })

/**
 * True when the state machine is to keep what there is before another phase begins: a fault of that phase would lose what was said so far, which is
 * stored nowhere else; and one that begins late could not end in time.
 */
const mustHandOver = ({ manner, begunMs }: Run, from: Progress, progress: Progress): boolean =>
  performance.now() > begunMs + BEGIN_MS || (!manner.lenient && !isDeepStrictEqual(heardOf(from), heardOf(progress)))

const secondsFrom = (date: Date, seconds: number): string => new Date(date.getTime() + seconds * 1000).toISOString()

/** The phase's own deadline, or the operation's, whichever comes first. */
const deadlineOf = ({ subject, manner }: Run, own: string): string => {
  if (!subject.endsInTime) return own
  const margin = MARGIN_SECONDS[manner.undoes ? 'undo' : 'do']
  const last = secondsFrom(new Date(subject.operation.deadline), -margin)
  return last < own ? last : own
}

/** Progress at a phase: where it begins, its deadline and its tries begin anew. */
const placed = (
  { ports }: Run,
  progress: Progress,
  { phase, position }: { phase: BoundPhase; position: number },
): Progress => {
  const here = { ...progress, position, done: false }
  if (phase.id === progress.phase) return here
  return { ...here, phase: phase.id, tries: 0, deadline: secondsFrom(ports.clock.now(), phase.deadlineSeconds) }
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
  const run: Run = { ports, subject, manner, begunMs: performance.now(), warnings: [] }
  // A phase that is no longer in the plan, or none: from the beginning.
  const start = Math.max(
    0,
    phases.findIndex(({ id }) => id === from.phase),
  )
  let progress: Progress = { ...from, of: phases.length, waiting: null, waitSeconds: 0 }
  for (const [offset, phase] of phases.slice(start).entries()) {
    progress = placed(run, progress, { phase, position: start + offset + 1 })
    if (offset > 0 && mustHandOver(run, from, progress)) return pause(progress, null, 0)
    const own = progress.deadline ?? secondsFrom(ports.clock.now(), phase.deadlineSeconds)
    progress = await runOne(run, { phase, deadline: deadlineOf(run, own) }, progress)
    if (!progress.done) return progress
  }
  return { ...progress, phase: null, deadline: null, waiting: null, done: true, waitSeconds: 0 }
}
