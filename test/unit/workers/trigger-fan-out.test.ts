import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObserveKey } from '../../../functions/core/cluster/observe-request.ts'
import type { DeliveryKey } from '../../../functions/core/trigger/trigger.ts'
import { wakeDeliveries, wakeObservations, wakeSelectors } from '../../../functions/runtime/aws-fan-out.ts'
import {
  deliveryOfRecord,
  eventOfFeedRecord,
  observeOfRecord,
} from '../../../functions/store/dynamodb/stream-records.ts'
import { fanOutRecords } from '../../../functions/workers/trigger-fan-out/fan-out.ts'
import { givenCluster, givenFederation } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'
import { sampleEvent, sampleId } from '../../support/store/samples.ts'

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>
const record = (
  item: { pk: string; sk: string; askedAt?: string | null },
  eventName: 'INSERT' | 'MODIFY' = 'INSERT',
): DynamoDBRecord => {
  const { pk, sk } = item
  return { eventName, dynamodb: { Keys: marshall({ pk, sk }) as Image, NewImage: marshall(item) as Image } }
}

describe('fanOutRecords', () => {
  let lab: ApiLab
  beforeAll(async () => {
    lab = await createApiLab()
  })
  afterAll(() => lab.dispose())

  it('notes a delivery for an event of the feed, and has noted ones tried', async () => {
    const projectId = sampleId()
    const as = { userId: 'u', projectId, roles: ['member'], source: 'local' } as const
    const body = { name: 't', events: ['cluster.*'], target: { url: 'https://example.org/' } }
    const { body: trigger } = await lab.call('POST', '/v1/triggers', { as: { ...as, roles: ['member'] }, body })
    const event = sampleEvent({ projectId })
    const feed = { pk: `FEED#${projectId}`, sk: '1', schemaVersion: 1, ttl: 2_000_000_000, position: '1', ...event }
    const noted = { pk: 'P#shop', sk: 'DELIVERY#t1#d1' }
    const woken: DeliveryKey[] = []
    const observed: ObserveKey[] = []
    const waiting = { pk: 'P#shop', sk: 'OBSERVE#c1', askedAt: '2026-11-29T10:00:00.000Z' }
    const records = [
      record(feed),
      record(feed, 'MODIFY'),
      record(noted),
      record(noted, 'MODIFY'),
      record(waiting, 'MODIFY'),
    ]
    records.push(record({ ...waiting, askedAt: null }, 'MODIFY'))
    await fanOutRecords([...records, record({ pk: 'P#shop', sk: 'CLUSTER#c1' })], {
      ports: lab.ports,
      eventOf: eventOfFeedRecord,
      deliveryOf: deliveryOfRecord,
      observeOf: observeOfRecord,
      wakeSelectors: async () => undefined,
      wake: async (keys) => void woken.push(...keys),
      observe: async (keys) => void observed.push(...keys),
    })
    expect(observed).toEqual([{ projectId: 'shop', clusterId: 'c1' }])
    expect(woken).toEqual([{ projectId: 'shop', triggerId: 't1', id: 'd1' }])
    const key = { projectId, triggerId: trigger.uuid, id: event.id }
    expect(await lab.stores.triggers.getDelivery(key)).toMatchObject({
      state: 'pending',
      type: 'cluster.create.success',
    })
  })

  it('has a selector followed once for all events of a batch', async () => {
    const cluster = await givenCluster(lab)
    const { id } = await givenFederation(lab)
    const value = { labels: '' }
    await lab.call('PATCH', `/v1/federations/${id}`, { body: [{ op: 'replace', path: '/member_selector', value }] })
    const event = sampleEvent({ projectId: ALICE.projectId, owner: { kind: 'cluster', id: cluster } })
    const noted = { pk: 'P#shop', sk: 'CLUSTER#c1' }
    const woken: unknown[] = []
    await fanOutRecords([record(noted), record(noted)], {
      ports: lab.ports,
      eventOf: () => event,
      deliveryOf: () => undefined,
      observeOf: () => undefined,
      observe: async () => undefined,
      wake: async () => undefined,
      wakeSelectors: async (keys) => void woken.push(...keys),
    })
    expect(woken).toEqual([{ projectId: ALICE.projectId, id }])
  })
})

describe('selectors', () => {
  it('are handed on in one invocation', async () => {
    const sent: unknown[] = []
    const client = { send: async ({ input }: { input: unknown }) => void sent.push(input) }
    await wakeSelectors(client as never, 'selectors')([{ projectId: 'p', id: 'f' }])
    const Payload = JSON.stringify({ federations: [{ projectId: 'p', id: 'f' }] })
    expect(sent).toEqual([{ FunctionName: 'selectors', InvocationType: 'Event', Payload }])
  })
})

describe('wakeDeliveries', () => {
  it("has each trigger's tried by an invocation of its own, 50 at most", async () => {
    const sent: { FunctionName: string; InvocationType: string; deliveries: DeliveryKey[] }[] = []
    const client = {
      send: async ({ input }: { input: { FunctionName: string; InvocationType: string; Payload: string } }) =>
        void sent.push({ ...input, ...JSON.parse(input.Payload) }),
    }
    const keys = Array.from({ length: 60 }, (_, index) => ({
      projectId: 'p',
      triggerId: index === 7 ? 'other' : 'one',
      id: String(index),
    }))
    await wakeDeliveries(client as never, 'deliveries')(keys)
    expect(sent.map(({ deliveries }) => [deliveries[0]?.triggerId, deliveries.length])).toEqual([
      ['one', 50],
      ['one', 9],
      ['other', 1],
    ])
    expect(sent[0]).toMatchObject({ FunctionName: 'deliveries', InvocationType: 'Event' })
  })
})

describe('wakeObservations', () => {
  it("has each project's clusters observed by an invocation of its own", async () => {
    const sent: unknown[] = []
    const client = { send: async ({ input }: { input: unknown }) => void sent.push(input) }
    const [one, two] = ['one', 'two'].map((projectId) => ({ projectId, clusterId: 'c' })) as [ObserveKey, ObserveKey]
    await wakeObservations(client as never, 'sweep')([one, two, one])
    expect(sent).toEqual(
      [[one, one], [two]].map((observe) => ({
        FunctionName: 'sweep',
        InvocationType: 'Event',
        Payload: JSON.stringify({ observe }),
      })),
    )
  })
})
