import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type GuardedChild, startGuarded } from './guarded-child.ts'

/**
 * Runs the program with its output in a file and a smaller heap than Go's default. SIGTERM ends the program with SIGKILL: an API
 * server whose etcd has gone would take minutes to end by itself, and there is nothing here to save.
 */
const RUN = `
trap 'kill -9 $!; exit 1' TERM
log="$1"
shift
GOGC=50 "$0" "$@" >>"$log" 2>&1 &
wait $!
`

/** Starts a program of a cluster: it ends with this process, even on SIGKILL, and writes `<name>.log`. */
export const startProgram = (
  program: string,
  folder: string,
  name: string,
  flags: readonly string[],
): Promise<GuardedChild> => startGuarded('/bin/sh', ['-c', RUN, program, join(folder, `${name}.log`), ...flags])

/** Ends a program at once, as a crash would, and waits until it is gone. */
export const killProgram = async (child: GuardedChild): Promise<void> => {
  process.kill(child.pid, 'SIGTERM')
  await child.ended
}

const POLL_MS = 100
/** Longest start of one program on a busy machine, milliseconds; usual: 3,000. */
const READY_DEADLINE_MS = 90_000

export type Waiting = { what: string; child: GuardedChild; log: string }

/** Waits until a check holds; a check that throws does not hold yet. @throws Error when the program ends before, or after 90 s */
export const untilReady = async ({ what, child, log }: Waiting, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + READY_DEADLINE_MS
  let last: unknown
  while (Date.now() < deadline) {
    const check = holds().catch((error: unknown) => {
      last = error
      return false
    })
    if (await check) return
    const ended = await Promise.race([delay(POLL_MS), child.ended])
    if (ended !== undefined) throw new Error(`${what} ended while starting (${ended.trim()}); see ${log}.`)
  }
  throw new Error(`${what} was not ready within ${READY_DEADLINE_MS / 1000} seconds; see ${log}.`, { cause: last })
}
