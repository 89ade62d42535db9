import type { Operation } from '../../domain/operation.ts'
import type { StepResult } from '../../drivers/contract/phase.ts'
import type { Failure } from '../../operations/failure.ts'
import type { StepPorts, StepState } from '../step.ts'

/** A phase with its context bound: looks at the entity anew each time, since the state changes while phases run. */
export type BoundPhase = {
  id: string
  title: string
  deadlineSeconds: number
  /** True: one that fails is noted and passed over, in any operation. */
  isLenient?: boolean
  /** Acts, and stores what came of it. */
  ensure(): Promise<StepResult>
  /** Takes it back, and stores what came of it; absent for phases that leave nothing behind. */
  undo?: (() => Promise<StepResult>) | undefined
}

/** One operation as the loop sees it. */
export type LoopSubject = {
  operation: Operation
  phases: readonly BoundPhase[]
  /** Tells the reader of `status_reason`. Writes only when it changes. */
  tell(statusReason: string): Promise<void>
  /** Ends the connections of this step. */
  close(): void
}

/** What did not go as planned although the loop came to its end, in sentences. */
export type LoopOutcome = {
  /** What a forced delete passed over, or undo could not take back; and objects that stay although their phase is done. */
  notes: readonly string[]
  /** What works in part only, as drivers said of their phases. */
  remarks?: readonly string[]
}

/** What a flow puts into the loop. All throw OperationSuperseded when the operation no longer runs. */
export type Loop = {
  /** The operation alone: needs no driver and no cluster. */
  operation(ports: StepPorts, state: StepState): Promise<Operation>
  subject(ports: StepPorts, state: StepState): Promise<LoopSubject>
  /** All phases are done. Writes the entity's end. */
  succeed(ports: StepPorts, state: StepState, outcome: LoopOutcome): Promise<void>
  /** Undo is over. Writes the entity's end. */
  fail(ports: StepPorts, state: StepState, outcome: LoopOutcome & { failure: Failure }): Promise<void>
}
