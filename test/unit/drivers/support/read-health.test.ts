import { afterEach, describe, expect, it, vi } from 'vitest'
import { readHealth } from '../../../../functions/drivers/support/registered/read-health.ts'
import type { KubernetesClient, ListOptions, ObjectList } from '../../../../functions/kubernetes/client.ts'
import { AnswerTooLarge } from '../../../../functions/kubernetes/errors.ts'
import { rejectionOf } from '../../../support/kubernetes/leaks.ts'

/** What a server takes for each answer, just below the 15 s that it may. */
const ANSWER_MS = 14_900
/** One answer after the last moment at which one is asked for. */
const LONGEST_MS = 45_000

afterEach(() => vi.restoreAllMocks())

/** A client of a server that answers as late as it may; lists as `list` does. */
const slowClient = (list: (options: ListOptions, asked: number) => ObjectList) => {
  let now = 0
  let asked = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const client = {
    raw: async () => ({ status: 200, body: 'ok' }),
    version: async () => ({ gitVersion: 'v1.36.3', major: 1, minor: 36 }),
    list: async (_resource: unknown, options: ListOptions = {}) => {
      now += ANSWER_MS
      asked += 1
      return list(options, asked)
    },
  } as unknown as KubernetesClient
  return { client, spent: () => now }
}

const page = (next: string): ObjectList => ({ items: [], continue: next, bytes: 100 })

describe('the nodes of a cluster that answers as late as it may', () => {
  it('are not asked for in smaller and smaller pages once their time is over', async () => {
    const { client, spent } = slowClient((_options, asked) => {
      if (asked <= 2) return page(`page-${asked}`)
      throw new AnswerTooLarge('too large', { details: {} })
    })
    const error = await rejectionOf(readHealth(client))
    expect(error).toMatchObject({ name: 'RequestTimedOut', message: expect.stringContaining('within 30 s') })
    expect(spent()).toBeLessThan(LONGEST_MS)
  })

  it('are counted when the last page comes in time', async () => {
    const { client } = slowClient((_options, asked) => page(asked < 3 ? `page-${asked}` : ''))
    expect(await readHealth(client)).toMatchObject({ api: 'ok', nodeCount: 0 })
  })
})
