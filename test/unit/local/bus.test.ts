import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DomainEvent, entityEvent, outboxEvents } from '../../../functions/core/values/event.ts'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { Bus, logSubscriber } from '../../../local/bus/bus.ts'
import { executionStatusEvent } from '../../../local/bus/bus-event.ts'
import { OutboxRelay } from '../../../local/bus/outbox-relay.ts'
import { dynamoStreamPosition, type StreamPositionStore } from '../../../local/bus/stream-position.ts'
import { openStreamShards } from '../../../local/bus/stream-shards.ts'
import { TABLE } from '../../../local/database.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { createExecutionTable } from '../../../local/engine/execution-table.ts'
import { keptLog, until } from '../../support/local/engine-lab.ts'

const event = (id: string): DomainEvent => ({
  id,
  projectId: 'p',
  owner: { kind: 'federation', id: 'f' },
  clusterId: null,
  action: 'join',
  outcome: 'success',
  sequence: 1,
  reason: 'Joined',
  message: 'It joined.',
  time: '2026-11-27T00:00:00.000Z',
})

describe('Bus', () => {
  it('hands events to every subscriber in order, and goes on after an error', async () => {
    const log = keptLog()
    const bus = new Bus(log)
    const seen: string[] = []
    bus.subscribe({
      name: 'slow',
      handle: async ({ id }) => {
        await new Promise((resolve) => setTimeout(resolve, id === '1' ? 20 : 0))
        seen.push(`slow ${id}`)
      },
    })
    bus.subscribe({
      name: 'broken',
      handle: () => {
        throw new Error('broken')
      },
    })
    bus.subscribe({ name: 'last', handle: ({ id }) => void seen.push(`last ${id}`) })
    await Promise.all(['1', '2'].map((id) => bus.publish(entityEvent(event(id)))))
    expect(seen).toEqual(['slow 1', 'last 1', 'slow 2', 'last 2'])
    expect(log.lines).toHaveLength(2)
  })
})

describe('logSubscriber', () => {
  it('writes a line for each event, and for its notification one for those who look closer', async () => {
    const log = keptLog()
    const subscriber = logSubscriber(log)
    const created = { ...event('1'), action: 'create' } as const
    for (const it of outboxEvents(created)) await subscriber.handle(it)
    expect(log.lines.map(({ level, fields }) => [level, (fields as { type: string }).type])).toEqual([
      ['info', 'federation.create.success'],
      ['debug', 'magnum.federation.create'],
    ])
  })
})

describe('events', () => {
  it('have the form of EventBridge', () => {
    expect(entityEvent(event('1'))).toMatchObject({
      id: '1',
      source: 'fedplane',
      'detail-type': 'federation.join.success',
    })
    const envelope = { id: '2', time: '2026-11-27T00:00:00.000Z' }
    expect(
      executionStatusEvent({ flow: 'member-join', name: 'n' }, { status: 'FAILED', error: 'E' }, envelope),
    ).toEqual({
      ...envelope,
      source: 'aws.states',
      'detail-type': 'Step Functions Execution Status Change',
      detail: {
        flow: 'member-join',
        name: 'n',
        status: 'FAILED',
        error: 'E',
        executionArn: 'arn:aws:states:local:000000000000:execution:fedplane-member-join:n',
        stateMachineArn: 'arn:aws:states:local:000000000000:stateMachine:fedplane-member-join',
      },
    })
  })
})

describe('OutboxRelay', () => {
  let database: EmbeddedDynamoDb
  let client: ReturnType<typeof openDocumentClient>
  beforeAll(async () => {
    database = openEmbeddedDynamoDb({ dataDir: undefined })
    client = openDocumentClient(database.connection)
    await ensureTable(client, TABLE)
    await createExecutionTable(client)
  })
  afterAll(async () => {
    client.destroy()
    database.stop()
  })

  const put = (sk: string, item = {}) =>
    client.send(new PutCommand({ TableName: TABLE, Item: { pk: 'P#p', sk, ...item } }))

  const relay = async (
    publish: (event: DomainEvent) => Promise<void>,
    wrap = (store: StreamPositionStore): StreamPositionStore => store,
  ) => {
    const shards = await openStreamShards(database.connection, TABLE)
    const log = keptLog()
    const position = wrap(dynamoStreamPosition(client, shards.streamArn))
    const read = async (key: { pk: string; sk: string }) =>
      (await client.send(new GetCommand({ TableName: TABLE, Key: key }))).Item?.event as DomainEvent | undefined
    return {
      log,
      made: new OutboxRelay({
        shards,
        position,
        read,
        publish,
        log,
        onDelivery: () => undefined,
        onObserve: () => undefined,
        faultPauseMs: 50,
      }),
    }
  }

  it('forwards outbox items only, in order, and goes on where it was after a restart', async () => {
    const seen: string[] = []
    const publish = async ({ id }: DomainEvent) => void seen.push(id)
    await put('CLUSTER#1')
    await put('EVENT#cluster/1#a', { event: event('a') })
    const first = await relay(publish)
    await put('EVENT#cluster/1#b', { event: event('b') })
    await put('EVENT#cluster/1#gone')
    await until(() => seen.length === 2)
    await put('CLUSTER#2')
    await first.made.close()

    await put('EVENT#cluster/1#c', { event: event('c') })
    await put('EVENT#cluster/1#a', { event: event('a'), changed: true })
    const second = await relay(publish)
    await put('EVENT#cluster/1#d', { event: event('d') })
    await until(() => seen.includes('d'))
    await second.made.close()
    expect(seen).toEqual(['a', 'b', 'c', 'd'])
    expect([...first.log.lines, ...second.log.lines]).toEqual([])
  })

  it('delivers again what was delivered before its position could be stored', async () => {
    const seen: string[] = []
    let failures = 0
    await put('EVENT#cluster/2#x', { event: event('x') })
    const { made, log } = await relay(
      async ({ id }) => void seen.push(id),
      (store) => ({
        load: store.load,
        save: async (position) => {
          if (seen.includes('x') && failures++ === 0) throw new Error('no position')
          await store.save(position)
        },
      }),
    )
    await until(() => seen.filter((id) => id === 'x').length === 2)
    await made.close()
    expect(log.lines).toEqual([expect.objectContaining({ level: 'error' })])
  })
})
