import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DeliveryKey } from '../../../functions/core/trigger/trigger.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { deliver, deliverAll, deliverDue } from '../../../functions/workers/trigger-deliveries/deliver.ts'
import { fanOut } from '../../../functions/workers/trigger-fan-out/fan-out.ts'
import { deliveryRunner } from '../../../local/bus/runners.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB, READER } from '../../support/api/request.ts'
import { sampleEvent, sampleFederation, sampleId } from '../../support/store/samples.ts'
import { Receiver } from '../../support/triggers.ts'

const MINUTE_MS = 60_000

let lab: ApiLab
let receiver: Receiver
let owner: Principal
let now: number
beforeAll(async () => {
  lab = await createApiLab()
  receiver = await new Receiver().start()
})
afterAll(async () => {
  await receiver.close()
  await lab.dispose()
})
beforeEach(() => {
  owner = { ...BOB, projectId: sampleId() }
  now = Date.now()
  receiver.got.length = 0
  receiver.behave = (response) => response.writeHead(204).end()
})

const call = (method: string, path: string, body?: unknown, as: Principal = owner) =>
  lab.call(method, `/v1/triggers${path}`, { as, ...(body === undefined ? {} : { body }) })
const wanted = (changes: object = {}) => ({
  name: 'pager',
  events: ['cluster.*'],
  target: { url: receiver.url },
  ...changes,
})
const create = async (changes: object = {}) => {
  const { status, body } = await call('POST', '', wanted(changes))
  expect(status).toBe(201)
  return body
}

const ports = () => ({ ...lab.ports, clock: { now: () => new Date(now) } })
const sending = () => ({ policy: lab.ports.addressPolicy, resolver: () => Promise.reject(new Error('no names here')) })
const happens = async (changes: object = {}) => {
  const event = sampleEvent({ projectId: owner.projectId, id: sampleId(), ...changes })
  await fanOut(ports(), event)
  return event
}
const keyOf = (triggerId: string, id: string): DeliveryKey => ({ projectId: owner.projectId, triggerId, id })
const run = (triggerId: string, id: string) => deliver(ports(), keyOf(triggerId, id), sending())
const deliveries = async (trigger: string) => (await call('GET', `/${trigger}/deliveries`)).body.deliveries

describe('triggers', () => {
  it('are created with a secret that is shown this once', async () => {
    const made = await create({ filter: { outcome: 'failure', owner: 'paris' } })
    const { secret, ...rest } = made
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rest).toEqual({
      uuid: expect.any(String),
      name: 'pager',
      events: ['cluster.*'],
      filter: { outcome: 'failure', owner: 'paris' },
      target: { url: receiver.url },
      former_secret_until: null,
      created_at: expect.any(String),
    })
    expect((await call('GET', `/${made.uuid}`)).body).toEqual(rest)
    expect((await call('GET', '/pager')).body).toEqual(rest)
    expect((await call('GET', '')).body).toEqual({ triggers: [rest] })
    expect((await call('DELETE', '/pager')).status).toBe(204)
    expect((await call('GET', `/${made.uuid}`)).status).toBe(404)
  })

  it('are those of the project, and changed by its members', async () => {
    const { uuid } = await create()
    expect((await call('GET', `/${uuid}`, undefined, BOB)).status).toBe(404)
    expect((await call('DELETE', `/${uuid}`, undefined, BOB)).status).toBe(404)
    const reader = { ...READER, projectId: owner.projectId }
    expect((await call('GET', `/${uuid}`, undefined, reader)).status).toBe(200)
    expect((await call('POST', '', wanted(), reader)).status).toBe(403)
    expect((await call('POST', `/${uuid}/actions/rotate-secret`, undefined, reader)).status).toBe(403)
  })

  it.each<[string, object, string]>([
    ['no event', { events: [] }, '1 to 20 types'],
    ['an event that is none', { events: ['Cluster created'] }, '1 to 20 types'],
    ['a type that no event has', { events: ['cluster.create'] }, 'must fit a type of event'],
    ['an unknown filter', { filter: { status: 'x' } }, 'filter'],
    ['no target', { target: {} }, 'must be an object with either'],
    ['another protocol', { target: { url: 'ftp://example.org' } }, 'must be a URL'],
    ['a password in the URL', { target: { url: 'https://a:b@example.org' } }, 'must be a URL'],
    ['plain http elsewhere', { target: { url: 'http://example.org/hook' } }, 'must begin with https://'],
    ['an address of metadata', { target: { url: 'https://169.254.169.254/latest' } }, '169.254.169.254'],
    ['the same, written otherwise', { target: { url: 'https://2852039166/latest' } }, '169.254.169.254'],
    ['a secret of its own', { secret: 'whsec_x' }, 'Only the server sets'],
  ])('refuse %s', async (_, changes, says) => {
    const { status, text } = await call('POST', '', wanted(changes))
    expect([status, text]).toEqual([400, expect.stringContaining(says)])
    expect((await call('GET', '')).body).toEqual({ triggers: [] })
  })

  it('are named by uuid when several have the name', async () => {
    await create()
    await create()
    expect((await call('GET', '/pager')).status).toBe(409)
  })

  it('are 50 of a project at most', async () => {
    for (let count = 0; count < 50; count++) await create()
    const { status, text } = await call('POST', '', wanted())
    expect([status, text]).toEqual([403, expect.stringContaining('50 triggers')])
  })
})

describe('deliveries', () => {
  it('carry an event to the triggers that it is for, once however often it comes', async () => {
    const [pager, other] = [await create(), await create({ name: 'other', events: ['federation.*'] })]
    const event = await happens()
    await fanOut(ports(), event)
    await run(pager.uuid, event.id)
    await run(pager.uuid, event.id)
    expect(receiver.got).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.got
    expect(new Webhook(pager.secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'fedplane.cluster.create.success',
    })
    expect(await deliveries(other.uuid)).toEqual([])
    expect(await deliveries(pager.uuid)).toEqual([
      {
        id: event.id,
        uuid: event.id,
        webhook_id: event.id,
        state: 'delivered',
        type: 'fedplane.cluster.create.success',
        attempts: 1,
        created_at: expect.any(String),
        next_attempt_at: null,
        last_attempt: { at: expect.any(String), status: 204, message: 'The receiver answered 204.' },
      },
    ])
  })

  it('fit the name of a federation also for what happens to its members', async () => {
    const federation = sampleFederation({ projectId: owner.projectId, id: sampleId(), name: 'fleet' })
    await lab.stores.commit([lab.stores.federations.insert(federation)])
    const { uuid } = await create({ events: ['fedplane.federation.join.*'], filter: { owner: 'fleet' } })
    const { name: _, ...nameless } = sampleEvent({
      projectId: owner.projectId,
      owner: { kind: 'federation', id: federation.id },
      clusterId: sampleId(),
      action: 'join',
    })
    await fanOut(ports(), nameless)
    expect(await deliveries(uuid)).toMatchObject([{ type: 'fedplane.federation.join.success' }])
  })

  it('of one project leave places to another one, when its receivers hang', async () => {
    const [hanging, quick] = [receiver, await new Receiver().start()]
    hanging.behave = () => undefined
    const ids: string[] = []
    for (let count = 0; count < 12; count++) ids.push((await create({ name: `h${count}` })).uuid)
    const attacker = owner
    const event = await happens()
    owner = { ...BOB, projectId: sampleId() }
    const good = await create({ target: { url: quick.url } })
    const other = await happens()
    const runner = deliveryRunner((key) => deliver(ports(), key, sending()))
    for (const triggerId of ids) runner.take({ projectId: attacker.projectId, triggerId, id: event.id })
    const delivered = new Promise<void>((resolve) => {
      quick.onMessage = resolve
    })
    runner.take(keyOf(good.uuid, other.id))
    await delivered
    expect(hanging.got.length).toBeLessThanOrEqual(8)
    hanging.behave = (response) => response.writeHead(204).end()
    await quick.close()
    hanging.dropConnections()
    await runner.close()
    for (const id of ids) await call('DELETE', `/${id}`, undefined, attacker)
  })

  it('are tried again in growing pauses, and given up after a day', async () => {
    receiver.behave = (response) => response.writeHead(500).end()
    const { uuid } = await create()
    const event = await happens()
    const pauses: number[] = []
    for (let [before] = [now]; ; before = now) {
      await run(uuid, event.id)
      const [delivery] = await deliveries(uuid)
      if (delivery.state === 'dead') break
      now = Date.parse(delivery.next_attempt_at)
      pauses.push((now - before) / MINUTE_MS)
    }
    expect(pauses).toEqual([1, 5, 15, 30, 60, 120, 240, 240, 240, 240, 240])
    const [dead] = await deliveries(uuid)
    expect([dead.attempts, dead.last_attempt.message]).toEqual([12, 'The receiver answered 500.'])
  })

  it('wait as long as the receiver asks, within an hour, and end when it is gone', async () => {
    receiver.behave = (response) => response.writeHead(429, { 'retry-after': '600' }).end()
    const { uuid } = await create()
    const event = await happens()
    await run(uuid, event.id)
    const [waiting] = await deliveries(uuid)
    expect(Date.parse(waiting.next_attempt_at) - now).toBe(600_000)
    now += 600_000
    receiver.behave = (response) => response.writeHead(410).end()
    await run(uuid, event.id)
    expect((await deliveries(uuid))[0]).toMatchObject({ state: 'dead', last_attempt: { status: 410 } })
  })

  it('are tried by one at a time, and again a minute after one was killed', async () => {
    const { uuid } = await create()
    const event = await happens()
    let answer: () => void = () => undefined
    receiver.behave = (response) => {
      answer = () => response.writeHead(204).end()
    }
    const asked = new Promise<void>((resolve) => {
      receiver.onMessage = resolve
    })
    const first = run(uuid, event.id)
    await asked
    await run(uuid, event.id)
    expect(receiver.got).toHaveLength(1)
    expect((await deliveries(uuid))[0]).toMatchObject({ state: 'pending', attempts: 1 })
    now += MINUTE_MS
    receiver.behave = (response) => response.writeHead(200).end()
    // As after a kill: the first one's answer comes later, and changes nothing.
    await deliverDue(ports(), sending())
    answer()
    await first
    expect((await deliveries(uuid))[0]).toMatchObject({
      state: 'delivered',
      attempts: 2,
      last_attempt: { status: 200 },
    })
    // What other tests have left due is tried, too.
    const own = receiver.got.filter(({ headers }) => headers['webhook-id'] === event.id)
    expect(own).toHaveLength(2)
  })

  it('of one trigger are 20 in a run of the schedule, which counts the rest; those that are handed over are all tried', async () => {
    const { uuid } = await create()
    const ids: string[] = []
    for (let count = 0; count < 25; count++) ids.push((await happens()).id)
    expect(await deliverDue(ports(), sending())).toEqual({ putOff: 5 })
    const delivered = async () =>
      (await deliveries(uuid)).filter(({ state }: { state: string }) => state === 'delivered')
    expect(await delivered()).toHaveLength(20)
    const keys = ids.map((id) => keyOf(uuid, id))
    expect(await deliverAll(ports(), keys, sending())).toEqual({ putOff: 0 })
    expect(await delivered()).toHaveLength(25)
  })

  it('end with their trigger', async () => {
    const { uuid } = await create()
    const event = await happens()
    await call('DELETE', `/${uuid}`)
    await deliverDue(ports(), sending())
    expect(receiver.got).toEqual([])
    const left = await lab.stores.triggers.getDelivery(keyOf(uuid, event.id))
    expect(left).toMatchObject({ state: 'dead', last: { message: 'The trigger was deleted.' } })
  })

  it('are signed with both secrets for a day after a rotation', async () => {
    const { uuid, secret: former } = await create()
    const rotated = await call('POST', `/${uuid}/actions/rotate-secret`)
    expect(rotated.status).toBe(200)
    const verifies = async (secret: string): Promise<boolean> => {
      receiver.got.length = 0
      const event = await happens()
      await run(uuid, event.id)
      const [{ headers, body } = { headers: {}, body: '' }] = receiver.got
      const at = Number((headers as Record<string, string>)['webhook-timestamp']) * 1000
      expect(Math.abs(at - now)).toBeLessThan(1000)
      try {
        // The library compares the time with its own.
        const { 'webhook-signature': signature = '', 'webhook-id': id = '' } = headers as Record<string, string>
        return signature.split(' ').includes(new Webhook(secret).sign(id, new Date(at), body))
      } catch {
        return false
      }
    }
    expect([await verifies(former), await verifies(rotated.body.secret)]).toEqual([true, true])
    now += 24 * 60 * MINUTE_MS + 1000
    expect([await verifies(former), await verifies(rotated.body.secret)]).toEqual([false, true])
  })

  it('can be tested and replayed', async () => {
    const { uuid } = await create()
    const tested = await call('POST', `/${uuid}/actions/test`)
    expect([tested.status, tested.body.type, tested.body.state]).toEqual([202, 'fedplane.trigger.test', 'pending'])
    now = Date.now() + 1000
    const soon = await call('POST', `/${uuid}/actions/test`)
    expect([soon.status, soon.headers['retry-after']]).toEqual([429, '2'])
    const early = await call('POST', `/${uuid}/deliveries/${tested.body.uuid}/actions/replay`)
    expect([early.status, early.text]).toEqual([409, expect.stringContaining('still tried')])
    await run(uuid, tested.body.uuid)
    const again = await call('POST', `/${uuid}/deliveries/${tested.body.uuid}/actions/replay`)
    expect([again.status, again.body.webhook_id]).toEqual([202, tested.body.uuid])
    now = Date.now() + 1000
    await run(uuid, again.body.uuid)
    expect(receiver.got.map(({ headers }) => headers['webhook-id'])).toEqual([tested.body.uuid, tested.body.uuid])
    expect((await call('POST', `/${uuid}/deliveries/nothing/actions/replay`)).status).toBe(404)
  })
})
