import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { type DomainEvent, entityEvent, type OutboxEvent } from '../../../functions/core/values/event.ts'
import { putOnBus } from '../../../functions/runtime/aws-outbox.ts'
import { passingOver } from '../../../functions/runtime/passing-over.ts'
import { EVENT_SCHEMA_VERSION } from '../../../functions/store/dynamodb/event.schema.ts'
import { eventOfRecord } from '../../../functions/store/dynamodb/stream-records.ts'
import type { FeedEntry } from '../../../functions/store/stores.ts'
import { forwardEvents } from '../../../functions/workers/outbox/forward.ts'
import { recordedLog } from '../../support/api/log.ts'

const eventNo = (n: number): DomainEvent => ({
  id: `0190-${n}`,
  projectId: 'shop',
  owner: { kind: 'federation', id: 'fed' },
  clusterId: null,
  action: 'create',
  outcome: 'success',
  sequence: n,
  reason: 'Created',
  message: 'It is there.',
  time: '2026-11-28T00:00:00.000Z',
})

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>
const image = (item: object): Image => marshall(item) as Image

const record = (n: number, change: Partial<DynamoDBRecord> = {}): DynamoDBRecord => {
  const key = { pk: 'P#shop', sk: `EVENT#federation#fed#0190-${n}` }
  const item = { ...key, schemaVersion: EVENT_SCHEMA_VERSION, ttl: 2_000_000_000, ...eventNo(n) }
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(n), Keys: image(key), NewImage: image(item) },
    ...change,
  }
}

const numbered = (count: number): DynamoDBRecord[] => Array.from({ length: count }, (_, n) => record(n))

/** A bus that takes so many events and then no more. */
const bus = (room = Number.POSITIVE_INFINITY) => {
  const taken: OutboxEvent[] = []
  const published: string[] = []
  const publish = async ({ position, event }: FeedEntry) => void published.push(`${position} ${event.id}`)
  const put = async (events: readonly OutboxEvent[]): Promise<number> => {
    const fits = events.slice(0, room - taken.length)
    taken.push(...fits)
    return fits.length
  }
  return { eventOf: eventOfRecord, taken, published, publish, put, log: recordedLog() }
}

describe('forwardEvents', () => {
  it('puts new events on the bus in order, in batches that it takes', async () => {
    const parts = bus()
    expect(await forwardEvents(numbered(23), parts)).toEqual({ batchItemFailures: [] })
    expect(parts.taken.map(({ id }) => id)).toEqual(numbered(23).flatMap((_, n) => [`0190-${n}`, `0190-${n}`]))
    expect(parts.taken.slice(0, 2)).toMatchObject([
      { source: 'fedplane', 'detail-type': 'federation.create.success' },
      { source: 'fedplane', 'detail-type': 'magnum.federation.create' },
    ])
  })

  it('puts them into the feed first, where they stand as in the stream', async () => {
    const parts = bus(0)
    await forwardEvents(numbered(3), parts)
    expect([parts.published, parts.taken]).toEqual([['0 0190-0', '1 0190-1', '2 0190-2'], []])
  })

  it('leaves the bus alone when the feed can not be written: the stream sends all of it again', async () => {
    const parts = { ...bus(), publish: () => Promise.reject(new Error('busy')) }
    await expect(forwardEvents(numbered(3), parts)).rejects.toThrow('busy')
    expect(parts.taken).toEqual([])
  })

  it('lets the stream send again from the first event that was not taken', async () => {
    // Two for each record; a notification that was not taken has its event come again, too.
    expect(await forwardEvents(numbered(23), bus(12))).toEqual({ batchItemFailures: [{ itemIdentifier: '6' }] })
    expect(await forwardEvents(numbered(23), bus(13))).toEqual({ batchItemFailures: [{ itemIdentifier: '6' }] })
  })

  it.each<[string, Partial<DynamoDBRecord>]>([
    ['a change', { eventName: 'MODIFY' }],
    ['the end of its life', { eventName: 'REMOVE', dynamodb: { Keys: { sk: { S: 'EVENT#x' } } } }],
    ['an item that is no event', { dynamodb: { ...record(1).dynamodb, Keys: { sk: { S: 'CLUSTER#x' } } } }],
  ])('passes over %s', async (_, change) => {
    const parts = bus()
    await forwardEvents([record(1, change)], parts)
    expect(parts.taken).toEqual([])
  })
})

describe('passingOver', () => {
  it('passes over an event that can not be read, says so once, and forwards what is behind it', async () => {
    const parts = bus()
    const counted: object[] = []
    const publish = (values: object): void => void counted.push(values)
    const eventOf = passingOver(eventOfRecord, { log: parts.log, publish })
    const [first, second, third] = numbered(3) as [DynamoDBRecord, DynamoDBRecord, DynamoDBRecord]
    second.dynamodb!.NewImage = image({ pk: 'P#shop', sk: 'EVENT#federation#fed#0190-1', schemaVersion: 99 })
    expect(await forwardEvents([first, second, third], { ...parts, eventOf })).toEqual({ batchItemFailures: [] })
    expect(parts.published).toEqual(['0 0190-0', '2 0190-2'])
    expect(counted).toEqual([{ EventsUnreadable: 1 }])
  })

  it('lets every other fault through: the stream sends it again', () => {
    const fail = (): never => {
      throw new Error('away')
    }
    const parts = { log: recordedLog(), publish: () => undefined }
    expect(() => passingOver(fail, parts)(record(1))).toThrow('away')
  })
})

describe('putOnBus', () => {
  const event = entityEvent(eventNo(1))
  const answering = (codes: (string | undefined)[]) => {
    const inputs: unknown[] = []
    const send = (command: { input: unknown }) => {
      inputs.push(command.input)
      return Promise.resolve({ Entries: codes.map((ErrorCode) => ({ ErrorCode })) })
    }
    return { inputs, client: { send } as unknown as Parameters<typeof putOnBus>[0] }
  }

  it('sends the event in its own words and time', async () => {
    const { client, inputs } = answering([undefined])
    expect(await putOnBus(client, 'fedplane')([event])).toBe(1)
    const entry = {
      EventBusName: 'fedplane',
      Source: 'fedplane',
      DetailType: 'federation.create.success',
      Time: new Date('2026-11-28T00:00:00.000Z'),
      Detail: JSON.stringify(eventNo(1)),
    }
    expect(inputs).toEqual([{ Entries: [entry] }])
  })

  it('counts up to the first that was refused', async () => {
    const { client } = answering([undefined, 'ThrottlingException', undefined])
    expect(await putOnBus(client, 'fedplane')([event, event, event])).toBe(1)
  })
})
