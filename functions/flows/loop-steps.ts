import { supersede } from '../core/operation/supersede.ts'
import { describeObject } from '../core/values/object-ref.ts'
import { failureOf } from './failure-of.ts'
import type { Loop, LoopOutcome, LoopSubject } from './loop.ts'
import { type Progress, progressIn, progressOf } from './progress.ts'
import { type Manner, runPhases } from './run-phases.ts'
import { DONE, type Step, type StepPorts, type StepState } from './step.ts'

/** The steps of a flow by the names of its Task states. */
export type Steps = Readonly<Record<string, Step>>

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

/** Task state `RunPhase`: the plan's phases in order. With `force` one that fails is noted and passed over. */
const runPhase =
  (loop: Loop): Step =>
  (ports, state) =>
    withSubject(loop, ports, state, async (subject) => {
      const from = progressIn('do', state.progress)
      await supersedeFirst(ports, subject, from)
      const manner: Manner = { act: (phase) => phase.ensure, lenient: subject.operation.force }
      return runPhases(ports, subject, { phases: subject.phases, manner, from })
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
  const { remarks, leftovers, carried } = progress
  return { notes: notesOf(progress), remarks, leftovers, carried }
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
export const loopSteps = (loop: Loop): Steps => ({
  RunPhase: runPhase(loop),
  UndoPhase: undoPhase(loop),
  RecordSuccess: recordSuccess(loop),
  RecordFailure: recordFailure(loop),
})
