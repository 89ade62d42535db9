import { describe, expect, it } from 'vitest'
import { EmbeddedDynamoDbFailed } from '../../../local/dynamodb/errors.ts'
import type { GuardedChild } from '../../../local/dynamodb/guarded-child.ts'
import { KeepRunning, type KeepRunningOptions } from '../../../local/dynamodb/keep-running.ts'

/** A program that ends when it is told to. */
const played = (pid: number): GuardedChild & { end(how: string): void } => {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const stop = async (): Promise<void> => end('stopped')
  return { pid, ended, end, stop }
}

const never = (over: AbortSignal): Promise<void> =>
  new Promise((resolve) => over.addEventListener('abort', () => resolve()))

const keep = (options: Partial<KeepRunningOptions> = {}) => {
  const children = [played(1)]
  const told: unknown[] = []
  const lost = Promise.withResolvers<unknown>()
  const kept = new KeepRunning(children[0]!, {
    again: async () => {
      const child = played(children.length + 1)
      children.push(child)
      return child
    },
    untilAnswers: async () => undefined,
    onRestart: (end) => told.push(end),
    onLost: lost.resolve,
    ...options,
  })
  return { kept, children, told, lost: lost.promise }
}

describe('KeepRunning', () => {
  it('starts again what ended, and tells how it ended', async () => {
    const { kept, children, told } = keep()
    children[0]!.end('SIGKILL')
    await expect.poll(() => told).toEqual(['SIGKILL'])
    expect(kept.pid).toBe(2)
    await kept.stop()
    await kept.stop()
    expect(await children[1]!.ended).toBe('stopped')
    expect(children).toHaveLength(2)
  })

  it('gives up what does not answer in time, and ends it', async () => {
    const silent = new EmbeddedDynamoDbFailed('It did not answer.')
    const { kept, children, told, lost } = keep({ untilAnswers: () => Promise.reject(silent) })
    children[0]!.end('SIGKILL')
    expect(await lost).toBe(silent)
    await kept.stop()
    expect(await children[1]!.ended).toBe('stopped')
    expect(told).toEqual([])
  })

  it('counts the ends of what never came to answer', async () => {
    const again = async () => {
      const child = played(2)
      child.end('exit code 3')
      return child
    }
    const { kept, children, told, lost } = keep({ again, untilAnswers: never })
    children[0]!.end('SIGKILL')
    expect(await lost).toMatchObject({
      name: 'EmbeddedDynamoDbFailed',
      message: 'The embedded DynamoDB ended 6 times within a minute, at last with exit code 3.',
    })
    expect(told).toEqual([])
    await kept.stop()
  })

  it('starts nothing more once stopped, and ends what was being started', async () => {
    const starting = Promise.withResolvers<GuardedChild>()
    const asked = Promise.withResolvers<void>()
    const late = played(2)
    const { kept, children, told } = keep({
      again: () => {
        asked.resolve()
        return starting.promise
      },
      untilAnswers: never,
    })
    children[0]!.end('SIGKILL')
    await asked.promise
    const stopped = kept.stop()
    starting.resolve(late)
    await stopped
    expect(await late.ended).toBe('stopped')
    expect(told).toEqual([])
  })
})
