import type { ExecutionRef, FlowInput } from '../../../functions/core/operation/operation.ts'
import type { Executions } from '../../../functions/core/ports.ts'

export type Start = ExecutionRef & { input: FlowInput }

/** Records what was started and runs nothing. */
export type RecordedExecutions = Executions & {
  starts: Start[]
  /** Makes every later start fail, as when Step Functions is down. */
  break(): void
  repair(): void
}

export const recordedExecutions = (): RecordedExecutions => {
  const starts: Start[] = []
  let broken = false
  return {
    starts,
    break: () => {
      broken = true
    },
    repair: () => {
      broken = false
    },
    start: async (ref, input) => {
      if (broken) throw new Error('the engine is down')
      starts.push({ ...ref, input })
    },
    stop: async () => {
      throw new Error('the API must not stop executions')
    },
    describe: async () => 'not-found',
    lastState: async () => undefined,
  }
}
