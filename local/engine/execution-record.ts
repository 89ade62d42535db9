import * as z from 'zod'
import { type ExecutionRef, FLOWS } from '../../functions/core/operation/operation.ts'
import type { ExecutionState } from '../../functions/core/ports.ts'

/** Status of an execution, spelled as Step Functions does. */
export const ExecutionStatus = z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

/** One execution as it is stored. */
export const ExecutionRecord = z.object({
  flow: z.enum(FLOWS),
  name: z.string(),
  status: ExecutionStatus,
  /** JSON text given to `start`. */
  input: z.string(),
  /** Top-level state that it is in, and JSON text of that state's raw input: where a restart goes on. */
  at: z.string(),
  data: z.string(),
  /** ISO-8601 UTC. */
  startedAt: z.string(),
  /** ISO-8601 UTC; absent while it runs. */
  stoppedAt: z.string().optional(),
  /** How often it was taken up again after a restart. */
  resumed: z.number().default(0),
  /** JSON text; after SUCCEEDED. */
  output: z.string().optional(),
  /** Name of the error and what it says; after FAILED, TIMED_OUT, ABORTED. */
  error: z.string().optional(),
  cause: z.string().optional(),
})
export type ExecutionRecord = z.infer<typeof ExecutionRecord>

/** How an execution ended. */
export type ExecutionEnd = Pick<ExecutionRecord, 'output' | 'error' | 'cause'> & {
  status: Exclude<ExecutionStatus, 'RUNNING'>
}

/** `EXECUTION#<flow>#<name>`: names are unique per state machine. */
export const executionKey = ({ flow, name }: ExecutionRef): string => `EXECUTION#${flow}#${name}`

const STATES: Readonly<Record<ExecutionStatus, ExecutionState>> = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timed-out',
  ABORTED: 'aborted',
}

/** Status in the words of the port `Executions`. */
export const executionState = (status: ExecutionStatus): ExecutionState => STATES[status]
