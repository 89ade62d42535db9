import type { Failure } from '../core/operation/failure.ts'
import type { Operation } from '../core/operation/operation.ts'
import type { JsonObject } from '../core/values/json.ts'
import type { ObjectRef } from '../core/values/object-ref.ts'
import type { StepResult } from '../drivers/contract/phase.ts'
import type { StepPorts, StepState } from './step.ts'

/** What a phase says of one call: as a driver does, and what the end of the flow needs to know of it. */
export type PhaseResult = StepResult & {
  /** Kept by the state machine and given to the end of the flow. No secrets. */
  carried?: JsonObject
}

/** A phase with its context bound: looks at the entity anew each time, since the state changes while phases run. */
export type BoundPhase = {
  id: string
  title: string
  deadlineSeconds: number
  /** True: one that fails is noted and passed over, in any operation. */
  isLenient?: boolean
  /** Acts, and stores what came of it. */
  ensure(): Promise<PhaseResult>
  /** Takes it back, and stores what came of it; absent for phases that leave nothing behind. */
  undo?: (() => Promise<PhaseResult>) | undefined
  /** What counts as left behind when the phase is passed over. Absent: a note says that it failed. */
  leftBehind?(): Promise<readonly ObjectRef[]>
}

/** One operation as the loop sees it. */
export type LoopSubject = {
  operation: Operation
  phases: readonly BoundPhase[]
  /** True: no phase waits past the operation's deadline, less a margin for what comes after it. Absent: the reconciler ends it there. */
  endsInTime?: boolean
  /** Tells the reader of `status_reason`. Writes only when it changes. */
  tell(statusReason: string): Promise<void>
  /** Takes back what was told with this beginning, once it is no longer waited for. Absent: it stays until something else is told. */
  takeBack?(beginning: string): Promise<void>
  /** Ends the connections of this step. */
  close(): void
}

/** What did not go as planned although the loop came to its end, in sentences. */
export type LoopOutcome = {
  /** What a forced delete passed over, or undo could not take back; and objects that stay although their phase is done. */
  notes: readonly string[]
  /** What works in part only, as drivers said of their phases. */
  remarks: readonly string[]
  /** Objects of ours that stay, of which the notes tell. */
  leftovers: readonly ObjectRef[]
  /** What phases had to say to the end of the flow. */
  carried: JsonObject
}

/** How a flow failed, and whether all phases could be asked to take back what they made. */
export type LoopFailure = LoopOutcome & { failure: Failure; isUndone: boolean }

/** What a flow puts into the loop. All throw OperationSuperseded when the operation no longer runs. */
export type Loop = {
  /** The operation alone: needs no driver and no cluster. */
  operation(ports: StepPorts, state: StepState): Promise<Operation>
  subject(ports: StepPorts, state: StepState): Promise<LoopSubject>
  /** All phases are done. Writes the entity's end. */
  succeed(ports: StepPorts, state: StepState, outcome: LoopOutcome): Promise<void>
  /** Undo is over. Writes the entity's end. */
  fail(ports: StepPorts, state: StepState, outcome: LoopFailure): Promise<void>
}
