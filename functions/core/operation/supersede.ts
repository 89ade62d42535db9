import { setTimeout as sleep } from 'node:timers/promises'
import { ExecutionStillRunning } from '../errors.ts'
import type { Ports } from '../ports.ts'
import type { ExecutionRef, Operation } from './operation.ts'

/** Milliseconds that one step waits for stopped executions before its Retry tries again. */
const TIMEOUT_MS = 8000
const POLL_MS = 50
const POLL_MAX_MS = 500

const awaitStopped = async (ports: Pick<Ports, 'executions'>, ref: ExecutionRef, until: number): Promise<void> => {
  for (let pause = POLL_MS; ; pause = Math.min(pause * 2, POLL_MAX_MS)) {
    if ((await ports.executions.describe(ref)) !== 'running') return
    if (performance.now() >= until) {
      throw new ExecutionStillRunning(
        `Execution ${ref.name} of ${ref.flow} was asked to stop and still runs; waiting for it.`,
      )
    }
    await sleep(pause)
  }
}

/**
 * Ends the executions that an operation replaced, and waits until they no longer run: the first act of the operation's first step, so
 * that two executions never work on one entity. Can run again.
 *
 * @throws ExecutionStillRunning (retryable) after 8 s
 */
export const supersede = async (
  ports: Pick<Ports, 'executions'>,
  operation: Pick<Operation, 'id' | 'supersedes'>,
): Promise<void> => {
  const until = performance.now() + TIMEOUT_MS
  await Promise.all(
    operation.supersedes.map(async (ref) => {
      await ports.executions.stop(ref, `superseded by operation ${operation.id}`)
      await awaitStopped(ports, ref, until)
    }),
  )
}
