import * as z from 'zod'
import { ObjectRefSchema } from '../object-ref.schema.ts'

/** Where a phase loop is: returned by its steps and given back to the next. */
export const ProgressSchema = z.object({
  /** Id of the phase under way; null before the first and after the last. */
  phase: z.string().nullable().default(null),
  /** ISO-8601 UTC when that phase counts as failed. */
  deadline: z.string().nullable().default(null),
  /** Failed tries of that phase where failing does not end the flow. */
  tries: z.int().default(0),
  /** What could not be done where failing does not end the flow: undo, and a forced delete. One sentence each. */
  notes: z.array(z.string()).default([]),
  /** Titles of phases that were passed over untried, since the host is out of reach. */
  notTried: z.array(z.string()).default([]),
  /** Objects of ours that stay although their phase is done. */
  leftovers: z.array(ObjectRefSchema).default([]),
  /** What drivers said of phases that work in part only. */
  remarks: z.array(z.string()).default([]),
  /** True when no phase is left. */
  done: z.boolean().default(false),
  waitSeconds: z.int().default(0),
})
export type Progress = z.infer<typeof ProgressSchema>

/** Reads the progress of a flow's state; the beginning when there is none. */
export const progressOf = (progress: unknown): Progress => ProgressSchema.parse(progress ?? {})

/** Seconds that the state machine waits before it looks again. */
export const WAIT_SECONDS = 5
