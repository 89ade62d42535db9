import { setTimeout as delay } from 'node:timers/promises'
import { CliError, EXIT } from '../errors.ts'
import type { Io } from '../io.ts'
import { openProgress, type Snapshot } from '../output/progress.ts'
import { type ApiClient, ServerUnreachable } from './client.ts'

/** Pauses between two requests, milliseconds: short work is seen at once, long work costs little. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
const GROWTH = 1.5
/** A server that is started anew is waited for this long, milliseconds. */
const OUTAGE_MS = 60_000

/** What is waited for. `T` is undefined once the thing does not exist any more. */
export type Awaited<T> = {
  path: string
  /** True at the end of the work. @throws CliError when it failed */
  isDone: (seen: T | undefined) => boolean
  snapshot: (seen: T) => Snapshot
  /** How to look again: `fedplane federation watch fleet`. */
  again: string
}

export type WaitOptions = { io: Io; api: ApiClient; timeoutSeconds: number | undefined }

const timedOut = (seconds: number, again: string): CliError =>
  new CliError(`Not done after ${seconds} s. The work goes on.`, { exitCode: EXIT.timedOut, remedy: again })

const interrupted = (again: string): CliError =>
  new CliError('Stopped watching. The work goes on.', { exitCode: EXIT.interrupted, remedy: again })

/** Asks again while the server is started anew, for as long as an outage may last. */
const tolerant = <T>(find: () => Promise<T | undefined>): (() => Promise<{ seen: T | undefined } | undefined>) => {
  let awaySince: number | undefined
  return async () => {
    try {
      const seen = await find()
      awaySince = undefined
      return { seen }
    } catch (error) {
      awaySince ??= performance.now()
      if (!(error instanceof ServerUnreachable) || performance.now() - awaySince > OUTAGE_MS) throw error
      return undefined
    }
  }
}

/** Pauses between requests, which end with the deadline and with Ctrl-C. @throws CliError */
const pauses = (again: string, { io, timeoutSeconds }: WaitOptions): (() => Promise<void>) => {
  const deadline = performance.now() + (timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1000
  let next = FIRST_PAUSE_MS
  return async () => {
    const left = deadline - performance.now()
    if (left <= 0) throw timedOut(timeoutSeconds ?? 0, again)
    await delay(Math.min(next, left), undefined, { signal: io.signal })
    next = Math.min(next * GROWTH, LONGEST_PAUSE_MS)
  }
}

/**
 * Shows how work goes on until it is done. Ctrl-C and `--timeout` end the wait, never the work.
 *
 * @returns what was seen last
 * @throws CliError when the work failed, or when the wait ended before it
 */
export const waitFor = async <T>(awaited: Awaited<T>, options: WaitOptions): Promise<T | undefined> => {
  const { path, isDone, snapshot, again } = awaited
  const progress = await openProgress(options.io)
  const observe = tolerant(() => options.api.find<T>(path))
  const pause = pauses(again, options)
  try {
    for (;;) {
      const answer = await observe()
      if (answer?.seen !== undefined) progress.show(snapshot(answer.seen))
      if (answer && isDone(answer.seen)) return answer.seen
      await pause()
    }
  } catch (error) {
    throw options.io.signal.aborted ? interrupted(again) : error
  } finally {
    progress.close()
  }
}
