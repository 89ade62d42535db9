import * as z from 'zod'
import { FLOWS } from '../core/operation/operation.ts'
import type { Ports } from '../core/ports.ts'
import type { JsonObject } from '../core/values/json.ts'

/** What a state machine's `Catch` put into `$.error`. */
const StateErrorSchema = z.object({ Error: z.string(), Cause: z.string().optional() })

/**
 * Data of a running execution: its input, what the last step returned (`$.result.progress`), and what was caught. The loop reads
 * `progress` itself.
 */
export const StepStateSchema = z
  .object({
    projectId: z.string().min(1),
    entityId: z.string().min(1),
    operationId: z.string().min(1),
    attempt: z.int().min(1),
    mode: z.enum(['do', 'undo']),
    result: z.object({ progress: z.unknown() }).partial().optional(),
    error: StateErrorSchema.optional(),
  })
  .transform(({ result, ...input }) => ({ ...input, progress: result?.progress }))
export type StepState = z.infer<typeof StepStateSchema>

/** `Payload` of a Task: which step of which flow, with the execution's data. */
export const StepEventSchema = z.object({ flow: z.enum(FLOWS), step: z.string(), state: StepStateSchema })

/** Ports of steps, and how long a step may look again by itself before it hands the wait to the state machine. */
export type StepPorts = Ports & {
  /** Milliseconds. Default 10,000: transitions cost money, and a Wait is at least 1 s. */
  pollMs: number
}

/** One Task state. Observes before it acts and can run again at any time; every write is conditional on the operation. */
export type Step = (ports: StepPorts, state: StepState) => Promise<JsonObject>

/** What every step returns at least, for the Choice and the Wait that follow. */
export const DONE = { done: true, waitSeconds: 0 } as const
