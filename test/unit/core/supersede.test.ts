import { describe, expect, it } from 'vitest'
import { supersede } from '../../../functions/core/operation/launch.ts'
import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import { retryOnConflict } from '../../../functions/core/operation/retry-on-conflict.ts'
import type { Executions } from '../../../functions/core/ports.ts'
import { RevisionConflict, StoreBusy } from '../../../functions/store/errors.ts'

const REF: ExecutionRef = { flow: 'member-join', name: 'a-1' }

describe('supersede', () => {
  it('stops what was replaced and returns when it no longer runs', async () => {
    const said: string[] = []
    let looks = 0
    const executions: Executions = {
      start: async () => undefined,
      stop: async (ref) => void said.push(`stop ${ref.name}`),
      lastState: async () => undefined,
      describe: async () => {
        said.push('look')
        return ++looks < 3 ? 'running' : 'aborted'
      },
    }
    await supersede({ executions }, { id: 'b', supersedes: [REF] })
    expect(said).toEqual(['stop a-1', 'look', 'look', 'look'])
  })

  it('does nothing for an operation that replaced none', async () => {
    const executions = {} as Executions
    await supersede({ executions }, { id: 'b', supersedes: [] })
  })
})

describe('retryOnConflict', () => {
  it('runs again on a conflict', async () => {
    let rounds = 0
    const result = await retryOnConflict(async () => {
      rounds += 1
      if (rounds < 4) throw new RevisionConflict('changed')
      return rounds
    })
    expect(result).toBe(4)
  })

  it('hands on other errors, and a conflict that never ends', async () => {
    await expect(retryOnConflict(() => Promise.reject(new StoreBusy('busy')))).rejects.toMatchObject({
      name: 'StoreBusy',
    })
    await expect(retryOnConflict(() => Promise.reject(new RevisionConflict('no')))).rejects.toMatchObject({
      name: 'RevisionConflict',
    })
  })
})
