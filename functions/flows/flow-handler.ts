import { OperationSuperseded } from '../core/errors.ts'
import { goOnInNext } from '../core/operation/give-up.ts'
import { supersede } from '../core/operation/launch.ts'
import { FLOWS, type Flow, type Operation } from '../core/operation/operation.ts'
import type { Logger, Ports } from '../core/ports.ts'
import { isAppError } from '../core/values/app-error.ts'
import type { Json } from '../core/values/json.ts'
import { describeObject } from '../core/values/object-ref.ts'
import { connectUntil } from '../kubernetes/connect-until.ts'
import { CALLS_MS, type Loop, type LoopOutcome, type LoopSubject, POLL_MS } from './loop.ts'
import { PLANS } from './plans.ts'
import { type Progress, progressIn, progressOf, STEPS_MAX } from './progress.ts'
import { type Manner, runPhases } from './run-phases.ts'
import { DONE, failureOf, type Step, StepEventSchema, StepFailed, type StepPorts, type StepState } from './step.ts'

/** The steps of a flow by the names of its Task states. */
type Steps = Readonly<Record<string, Step>>

const withSubject = async <T>(
  loop: Loop,
  ports: StepPorts,
  state: StepState,
  use: (subject: LoopSubject) => Promise<T>,
): Promise<T> => {
  const subject = await loop.subject(ports, state)
  try {
    return await use(subject)
  } finally {
    subject.close()
  }
}

/** Ends what this operation replaced, in the first step of an execution only: later ones come after it. */
const supersedeFirst = async (ports: StepPorts, subject: LoopSubject, progress: Progress): Promise<void> => {
  if (progress.phase === null) await supersede(ports, subject.operation)
}

/** The execution has grown long: the operation goes on in another, where it is now. This one has nothing more to say. */
const goOn = async (
  ports: StepPorts,
  state: StepState,
  { flow, operation, progress }: { flow: Flow; operation: Operation; progress: Progress },
): Promise<never> => {
  const { projectId, entityId } = state
  await goOnInNext(ports, { flow, projectId, entityId, operation }, { ...progress, steps: 0 })
  throw new OperationSuperseded('The operation goes on in its next execution.')
}

/** Task state `RunPhase`: the plan's phases in order. With `force` one that fails is noted and passed over. */
const runPhase =
  (flow: Flow): Step =>
  (ports, state) =>
    withSubject(PLANS[flow], ports, state, async (subject) => {
      const from = progressIn('do', state.progress)
      await supersedeFirst(ports, subject, from)
      const manner: Manner = { act: (phase) => phase.ensure, lenient: subject.operation.force }
      const ran = await runPhases(ports, subject, { phases: subject.phases, manner, from })
      const progress = { ...ran, steps: from.steps + 1 }
      const isLong = !progress.done && progress.steps >= (ports.stepsMax ?? STEPS_MAX)
      return isLong ? goOn(ports, state, { flow, operation: subject.operation, progress }) : progress
    })

/** Task state `UndoPhase`: the plan's phases backwards. One that can't be undone is noted and passed over. */
const undoPhase =
  (loop: Loop): Step =>
  (ports, state) =>
    withSubject(loop, ports, state, async (subject) => {
      const from = progressIn('undo', state.progress)
      await supersedeFirst(ports, subject, from)
      const manner: Manner = { act: (phase) => phase.undo, lenient: true, undoes: true }
      return runPhases(ports, subject, { phases: subject.phases.toReversed(), manner, from })
    })

const notesOf = ({ notes, notTried, leftovers }: Progress): string[] => [
  ...notes,
  ...(notTried.length > 0 ? [`nothing more was tried in the host: ${notTried.join(', ')}`] : []),
  ...(leftovers.length > 0 ? [`left behind: ${leftovers.map(describeObject).join(', ')}`] : []),
]

const outcomeOf = (progress: Progress): LoopOutcome => {
  const { warnings, leftovers, carried } = progress
  return { notes: notesOf(progress), warnings, leftovers, carried }
}

/** Task state `RecordSuccess`. */
const recordSuccess =
  (loop: Loop): Step =>
  async (ports, state) => {
    await loop.succeed(ports, state, outcomeOf(progressOf(state.progress)))
    return DONE
  }

/** Task state `RecordFailure`. Needs no driver, so that a driver that is gone can't keep the entity in progress. */
const recordFailure =
  (loop: Loop): Step =>
  async (ports, state) => {
    const operation = await loop.operation(ports, state)
    const outcome = outcomeOf(progressIn('undo', state.progress))
    const { done: isUndone } = progressIn('undo', state.progress)
    // Undo that did not come to its end may have left anything behind.
    const unfinished = isUndone ? [] : ['Undo did not come to its end.']
    const failure = failureOf(state, operation.failure)
    await loop.fail(ports, state, { ...outcome, notes: [...outcome.notes, ...unfinished], failure, isUndone })
    return DONE
  }

/** The Task states of a phase loop; `statemachines/README.md` has its diagram. */
const loopSteps = (flow: Flow, loop: Loop): Steps => ({
  RunPhase: runPhase(flow),
  UndoPhase: undoPhase(loop),
  RecordSuccess: recordSuccess(loop),
  RecordFailure: recordFailure(loop),
})

/**
 * The error as the state machine may have it: name for `ErrorEquals`, safe message, no stack, no cause (Lambda and Step Functions store
 * what is thrown in the execution's history).
 */
const toThrow = (error: { name: string; message: string }): Error => {
  const safe = new Error(error.message)
  safe.name = error.name
  safe.stack = `${error.name}: ${error.message}`
  return safe
}

/** What comes out of a step that threw: our own errors as they are, everything else as StepFailed, with the original in the log. */
const errorFor = (log: Logger, error: unknown): Error => {
  if (isAppError(error)) {
    log.info('step ended with an error', { error: error.name, message: error.message, retryable: error.retryable })
    return toThrow(error)
  }
  log.error('step failed', { error })
  return toThrow(new StepFailed('The step failed for a reason inside fedplane; its log has the details.'))
}

/** The steps of flows. */
type FlowSteps = Readonly<Partial<Record<Flow, Steps>>>

type Called = { flow: Flow; step: Step; name: string; state: StepState }

const readEvent = (ports: StepPorts, flows: FlowSteps, event: unknown): Called => {
  const { data, error } = StepEventSchema.safeParse(event)
  const step = data && flows[data.flow]?.[data.step]
  if (step) return { flow: data.flow, step, name: data.step, state: data.state }
  ports.log.error('step event refused', { issues: error?.issues ?? 'unknown flow or step' })
  throw toThrow(new StepFailed('The event names no step of a flow; its state machine does not fit this function.'))
}

/**
 * Function of all flows: parses the event, runs the named step, and lets only our own errors out. A step begins no call of a cluster after its time:
 * on AWS its function ends, and the embedded engine can only stop to wait for it, so that it would go on beside its retry.
 */
export const handlerFor =
  (ports: StepPorts, flows: FlowSteps) =>
  async (event: unknown): Promise<Json> => {
    const { flow, step, name, state } = readEvent(ports, flows, event)
    const log = ports.log.child({ flow, step: name, ...idsOf(state) })
    try {
      return await step({ ...ports, log, connect: connectUntil(ports.connect, performance.now() + CALLS_MS) }, state)
    } catch (error) {
      throw errorFor(log, error)
    }
  }

const idsOf = ({ projectId, entityId, operationId, attempt }: StepState) => ({
  projectId,
  entityId,
  operationId,
  attempt,
})

/** The steps of every flow: names equal the Task states of `operation.asl.json` (a test holds them together). */
export const FLOW_STEPS = Object.fromEntries(FLOWS.map((flow) => [flow, loopSteps(flow, PLANS[flow])])) as Record<
  Flow,
  Steps
>

/** Takes a Task's payload, gives its result. Throws only errors with a literal name and a safe message. */
export type FlowHandler = (event: unknown) => Promise<Json>

type FlowOptions = {
  /** In place of `POLL_MS`, for tests. */
  pollMs?: number
  /** In place of `STEPS_MAX`, for tests. */
  stepsMax?: number
}

/** The function of all flows over these ports: on AWS one Lambda, locally in the process. */
export const flowHandler = (ports: Ports, { pollMs = POLL_MS, ...options }: FlowOptions = {}): FlowHandler =>
  handlerFor({ ...ports, pollMs, ...options }, FLOW_STEPS)
