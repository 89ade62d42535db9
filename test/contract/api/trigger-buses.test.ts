import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PutOnBus } from '../../../functions/core/trigger/trigger.ts'
import { awsGrants } from '../../../functions/drivers/contract/aws-access.ts'
import { putOnTriggerBus } from '../../../functions/runtime/aws-trigger-buses.ts'
import { deliver } from '../../../functions/workers/trigger-deliveries/deliver.ts'
import { fanOut } from '../../../functions/workers/trigger-fan-out/fan-out.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { BOB } from '../../support/api/request.ts'
import { sampleEvent, sampleId } from '../../support/store/samples.ts'

const BUS = 'arn:aws:events:eu-west-1:111122223333:event-bus/shop'
const OTHER = 'arn:aws:events:eu-west-1:444455556666:event-bus/theirs'

describe('a trigger whose target is a bus', () => {
  let lab: ApiLab
  const owner = { ...BOB, projectId: sampleId() }
  beforeAll(async () => {
    lab = await createApiLab()
  })
  afterAll(() => lab.dispose())

  const ports = (buses?: string) => ({
    ...lab.ports,
    ...(buses === undefined ? {} : { triggerBuses: awsGrants(buses) }),
  })
  const call = (method: string, path: string, body?: unknown, buses: string | undefined = BUS) =>
    callApp(lab.appOver(ports(buses)), method, `/v1/triggers${path}`, {
      as: owner,
      ...(body === undefined ? {} : { body }),
    })
  const wanted = (target: unknown) => ({ name: 'shop', events: ['cluster.*'], target })
  const resolver = () => Promise.reject(new Error('no names here'))
  type Given = Parameters<PutOnBus>[0]
  const delivered = async (uuid: string, putOnBus: PutOnBus, buses = BUS) => {
    const event = sampleEvent({ projectId: owner.projectId, id: sampleId() })
    await fanOut(lab.ports, event)
    const sending = { policy: lab.ports.addressPolicy, resolver, putOnBus }
    await deliver(ports(buses), { projectId: owner.projectId, triggerId: uuid, id: event.id }, sending)
    const { body } = await call('GET', `/${uuid}/deliveries`)
    return { event, delivery: body.deliveries.find(({ id }: { id: string }) => id === event.id) }
  }

  it('has no secret, gets each event as a CloudEvent, and is tried again, tested and replayed as others are', async () => {
    const { status, body } = await call('POST', '', wanted({ bus: BUS }))
    expect([status, body.target, Object.hasOwn(body, 'secret')]).toEqual([201, { bus: BUS }, false])
    expect((await call('GET', `/${body.uuid}`)).body.target).toEqual({ bus: BUS })
    const got: Given[] = []
    const good = await delivered(body.uuid, async (event) => void got.push(event))
    expect(good.delivery).toMatchObject({ state: 'delivered', last_attempt: { status: 200 } })
    expect(got).toMatchObject([{ bus: BUS, type: 'fedplane.cluster.create.success' }])
    expect(JSON.parse(got[0]?.payload ?? '')).toMatchObject({ specversion: '1.0', id: good.event.id })
    const bad = await delivered(body.uuid, async () => 'ThrottlingException')
    expect(bad.delivery).toMatchObject({
      state: 'pending',
      last_attempt: { status: null, message: 'The bus refused: ThrottlingException.' },
    })
    expect((await call('POST', `/${body.uuid}/actions/test`)).status).toBe(202)
    expect((await call('POST', `/${body.uuid}/deliveries/${good.event.id}/actions/replay`)).status).toBe(202)
    const rotated = await call('POST', `/${body.uuid}/actions/rotate-secret`)
    expect([rotated.status, rotated.text]).toEqual([409, expect.stringContaining('has no secret')])
  })

  it('gets nothing once the operator has taken the bus out of the list', async () => {
    const { body } = await call('POST', '', wanted({ bus: BUS }))
    const put = async () => expect.unreachable('it is not allowed')
    expect((await delivered(body.uuid, put, OTHER)).delivery).toMatchObject({
      state: 'pending',
      last_attempt: { message: 'The operator does not allow this bus any more.' },
    })
    await call('DELETE', `/${body.uuid}`)
  })

  it.each([
    ['one that is not listed', { bus: OTHER }, BUS, 'the setting triggerBuses'],
    ['one of another project', { bus: BUS }, `red=${BUS}`, 'does not allow this project'],
    ['one where none is listed', { bus: BUS }, '', 'does not allow this project'],
    ['both targets', { bus: BUS, url: 'https://example.org/' }, BUS, 'either "url" or "bus"'],
    ['no target', {}, BUS, 'either "url" or "bus"'],
    [
      'another kind of ARN',
      { bus: 'arn:aws:sqs:eu-west-1:111122223333:shop' },
      BUS,
      'must be the ARN of an EventBridge bus',
    ],
  ])('is refused when it is %s', async (_, target, buses, sentence) => {
    const { status, text } = await call('POST', '', wanted(target), buses)
    expect([status, text.replaceAll('\\"', '"')]).toEqual([400, expect.stringContaining(sentence)])
  })

  it('is refused where there is no AWS', async () => {
    const { status, text } = await lab.call('POST', '/v1/triggers', { as: owner, body: wanted({ bus: BUS }) })
    expect([status, text]).toEqual([400, expect.stringContaining('is for installations on AWS')])
  })
})

describe('putOnTriggerBus', () => {
  const event = { bus: BUS, type: 'fedplane.trigger.test', payload: '{}', at: new Date(0) }
  const put = (answer: () => unknown) => {
    const asked: unknown[] = []
    const send = async ({ input }: { input: unknown }) => {
      asked.push(input)
      return answer()
    }
    const clients = (region: string) => ({ send: region === 'eu-west-1' ? send : undefined }) as never
    return putOnTriggerBus(clients)(event).then((refusal) => ({ refusal, asked }))
  }

  it('asks the Region of the bus, under a source of its own', async () => {
    expect(await put(() => ({ Entries: [{ EventId: '1' }] }))).toEqual({
      refusal: undefined,
      asked: [
        {
          Entries: [
            {
              EventBusName: BUS,
              Source: 'fedplane.trigger',
              DetailType: 'fedplane.trigger.test',
              Detail: '{}',
              Time: new Date(0),
            },
          ],
        },
      ],
    })
  })

  it('says by its code why a bus did not take an event, and nothing of our role', async () => {
    expect((await put(() => ({ Entries: [{ ErrorCode: 'InternalFailure' }] }))).refusal).toBe('InternalFailure')
    const denied = () => {
      throw Object.assign(new Error('arn:aws:sts::111122223333:assumed-role/fedplane-x is not authorized'), {
        name: 'AccessDeniedException',
      })
    }
    expect((await put(denied)).refusal).toBe('AccessDeniedException')
  })
})
