import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import { type ExecutionRecord, executionKey } from '../../../local/engine/execution-record.ts'
import type { ExecutionTable } from '../../../local/engine/execution-table.ts'

/** The engine's table in memory: flow tests run thousands of transitions, and the table has tests of its own. */
export const memoryExecutionTable = (): ExecutionTable => {
  const records = new Map<string, ExecutionRecord>()
  const change = async (ref: ExecutionRef, fields: Partial<ExecutionRecord>): Promise<boolean> => {
    const record = records.get(executionKey(ref))
    if (record?.status !== 'RUNNING') return false
    records.set(executionKey(ref), { ...record, ...fields })
    return true
  }
  const all = async () => [...records.values()]
  return {
    insert: async (record) => {
      if (records.has(executionKey(record))) return false
      records.set(executionKey(record), record)
      return true
    },
    get: async (ref) => records.get(executionKey(ref)),
    checkpoint: change,
    countResume: (ref) => change(ref, { resumed: (records.get(executionKey(ref))?.resumed ?? 0) + 1 }),
    close: (ref, end, now) => change(ref, { ...end, stoppedAt: now.toISOString() }),
    running: async () => (await all()).filter(({ status }) => status === 'RUNNING'),
    all,
    prune: async () => 0,
  }
}
