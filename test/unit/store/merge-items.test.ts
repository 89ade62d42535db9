import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { mergeItems } from '../../../functions/store/dynamodb/across-projects.ts'
import { templateKey } from '../../../functions/store/dynamodb/keys.ts'
import type { Item } from '../../../functions/store/dynamodb/read.ts'
import type { StoreContext } from '../../../functions/store/dynamodb/request.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

type Keys = { RequestItems: { table: { Keys: { pk: string; sk: string }[] } } }

/** Answers each batch with an item for each key, and notes how many were asked for. */
const batches = () => {
  const sizes: number[] = []
  const send = async ({ input }: { input: Keys }) => {
    const { Keys: keys } = input.RequestItems.table
    sizes.push(keys.length)
    return { Responses: { table: keys.map(({ sk }) => ({ id: sk.slice('TEMPLATE#'.length) })) } }
  }
  const client = { send } as unknown as DynamoDBDocumentClient
  const context: StoreContext = { client, tableName: 'table', clock: manualClock(), pause: async () => undefined }
  return { sizes, context }
}

const idOf = (index: number): string => String(index).padStart(4, '0')

describe('mergeItems', () => {
  /** 500 own items with even ids, as many of others with odd ones; and how many were pulled. */
  const many = () => {
    const pulled = { own: 0, foreign: 0 }
    async function* own(): AsyncGenerator<Item> {
      for (let index = 0; index < 1000; index += 2) {
        pulled.own++
        yield { id: idOf(index) }
      }
    }
    async function* foreign() {
      for (let index = 1; index < 1000; index += 2) {
        pulled.foreign++
        yield { projectId: 'blue', id: idOf(index) }
      }
    }
    return { pulled, own, foreign }
  }
  const first = async (source: AsyncIterable<Item>, count: number): Promise<unknown[]> => {
    const ids: unknown[] = []
    for await (const { id } of source) {
      ids.push(id)
      if (ids.length === count) break
    }
    return ids
  }

  it('reads a page in one batch, and not much further than the page', async () => {
    const { sizes, context } = batches()
    const { pulled, own, foreign } = many()
    const items = mergeItems(context, { own: own(), foreign: [foreign()], keyOf: templateKey, limit: 20 })
    expect(await first(items, 21)).toEqual(Array.from({ length: 21 }, (_, index) => idOf(index)))
    expect(sizes).toEqual([11])
    expect(pulled.own + pulled.foreign).toBeLessThan(30)
  })

  it('reads nothing more for own items', async () => {
    const { sizes, context } = batches()
    const items = mergeItems(context, { own: many().own(), foreign: [], keyOf: templateKey, limit: 20 })
    expect(await first(items, 5)).toEqual([0, 2, 4, 6, 8].map(idOf))
    expect(sizes).toEqual([])
  })
})
