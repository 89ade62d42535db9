import * as z from 'zod'
import { type ObjectRef, PLACES } from '../core/values/object-ref.ts'

/** An object that a flow made, as state data carries it. */
const ObjectRefSchema = z.object({
  where: z.enum(PLACES),
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
}) satisfies z.ZodType<ObjectRef>

/**
 * Where a phase loop is: returned by its steps and given back to the next. It is the output of their states, so the history of an execution tells each
 * phase that had to wait, and why. No secrets.
 */
export const ProgressSchema = z
  .object({
    /** Forwards, or back: undo begins at its own beginning. Null before the first phase. */
    direction: z.enum(['do', 'undo']).nullable().default(null),
    /** Id of the phase under way; null before the first and after the last. */
    phase: z.string().nullable().default(null),
    /** Its position among the phases, from 1, and how many there are. */
    position: z.int().default(0),
    of: z.int().default(0),
    /** What it waits for, or is tried again after; null while it does not wait. */
    waiting: z.string().nullable().default(null),
    /** ISO-8601 UTC when that phase counts as failed. */
    deadline: z.string().nullable().default(null),
    /** Calls of steps in this execution. */
    steps: z.int().default(0),
    /** Failed tries of that phase where failing does not end the flow. */
    tries: z.int().default(0),
    /** What could not be done where failing does not end the flow: undo, and a forced delete. One sentence each. */
    notes: z.array(z.string()).default([]),
    /** Titles of phases that were passed over untried, since the host is out of reach. */
    notTried: z.array(z.string()).default([]),
    /** Objects of ours that stay although their phase is done. */
    leftovers: z.array(ObjectRefSchema).default([]),
    /** What drivers said of phases that work in part only. */
    warnings: z.array(z.string()).default([]),
    /** What executions of the release before this one call them; goes with the next. */
    remarks: z.array(z.string()).default([]),
    /** What phases have to say to the end of the flow. */
    carried: z.record(z.string(), z.json()).default({}),
    /** True when no phase is left. */
    done: z.boolean().default(false),
    waitSeconds: z.int().default(0),
  })
  .transform(({ remarks, warnings, ...read }) => ({ ...read, warnings: [...remarks, ...warnings] }))
export type Progress = z.infer<typeof ProgressSchema>

/** Reads the progress of a flow's state; the beginning when there is none. */
export const progressOf = (progress: unknown): Progress => ProgressSchema.parse(progress ?? {})

/** Where phases that run in this direction go on. Another direction begins at its beginning, and keeps what drivers said. */
export const progressIn = (direction: 'do' | 'undo', progress: unknown): Progress => {
  const read = progressOf(progress)
  // A release before this one noted no direction: its undo begins again, which does no harm.
  if (read.direction === direction || (read.direction === null && direction === 'do')) return { ...read, direction }
  return { ...progressOf({}), direction, warnings: read.warnings }
}

/** Seconds that the state machine waits before it looks again: at first, and at most. */
const WAIT_SECONDS = 5
const WAIT_SECONDS_MAX = 60
/** A wait is a twentieth of what was waited so far: nothing takes more than that longer than it has to. */
const WAIT_SHARE = 0.05

/** Seconds that the state machine waits before it looks again at a phase that has taken so long by now. */
export const waitSecondsAfter = (elapsedSeconds: number): number =>
  Math.round(Math.min(Math.max(elapsedSeconds * WAIT_SHARE, WAIT_SECONDS), WAIT_SECONDS_MAX))

/**
 * Steps of one execution, of nine events each when they wait. The rest of the 25,000 events that it may have is for what is tried again: three events
 * each, up to 5,000 times (`MaxAttempts` in `operation.asl.json`).
 */
export const STEPS_MAX = 1000
