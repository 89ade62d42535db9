import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { streamFunction } from '../../../functions/event-stream/answer.ts'
import { storedPlaces } from '../../../functions/event-stream/places.ts'
import { EnvironmentInvalid } from '../../../functions/runtime/errors.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { BOB, eventOf } from '../../support/api/request.ts'
import { sampleEvent, sampleId } from '../../support/store/samples.ts'

const HOUR_MS = 3_600_000

let lab: ApiLab
let reader: Principal
let position = 0
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())
beforeEach(() => {
  reader = { ...BOB, projectId: sampleId() }
})

const happens = async (message: string): Promise<string> => {
  position += 1
  const event = sampleEvent({ projectId: reader.projectId, id: sampleId(), message })
  await lab.stores.events.publish({ position: String(position), event })
  return String(position)
}

type Options = {
  headers?: Record<string, string>
  streamMs?: number
  authorize?: () => Promise<Record<string, unknown>>
}

/** A request to the function, as Lambda gives it: what it answered by now, and when it is over. */
const ask = (id: string, { headers = {}, streamMs = HOUR_MS, authorize }: Options = {}) => {
  const places = storedPlaces(lab.ports, { id, leaseMs: HOUR_MS })
  const answer = streamFunction({
    app: lab.app,
    events: lab.stores.events,
    authorize: authorize ?? (async () => ({ principal: JSON.stringify(reader) })),
    places,
    streamMs,
    lookMs: 500,
  })
  const sink = new PassThrough({ encoding: 'utf8' })
  const got = { status: 0, headers: {} as Record<string, string>, text: '' }
  sink.on('data', (text: string) => {
    got.text += text
  })
  // What it says of itself counts nothing.
  const event = eventOf('GET', '/v1/events?follow=true', { as: { ...reader, roles: ['admin'] }, headers })
  const over = answer(event, ({ statusCode, headers: named }) => {
    got.status = statusCode
    got.headers = named
    return sink
  })
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(got.text)) await once(sink, 'data')
  }
  return { got, over, until, close: () => sink.destroy() }
}

describe('the function that streams events', () => {
  it('has what happens, resumes after what the client had, and ends before Lambda ends it', async () => {
    const { got, until, over, close } = ask('one')
    await until(/^retry: 2000\n\n/)
    expect([got.status, got.headers['Content-Type']]).toEqual([200, 'text/event-stream'])
    const cursor = await happens('first')
    await until(/"message":"first"/)
    close()
    await expect(over).rejects.toThrow()
    await happens('second')
    const again = ask('two', { headers: { 'Last-Event-ID': cursor }, streamMs: 300 })
    await again.over
    expect(again.got.text).toMatch(/^retry: 2000\n\nid: \d+\ndata: [^\n]*"message":"second"[^\n]*\n\n$/)
    const places = { projectId: reader.projectId, id: 'x', until: new Date().toISOString(), max: 1 }
    expect(await lab.stores.streamPlaces.take(places)).toBe(0)
  })

  it('lets nobody in whom the authorizer does not, whatever the request says', async () => {
    const { got, over } = ask('one', { authorize: async () => ({ reason: 'The token is expired.' }) })
    await over
    expect([got.status, got.text]).toEqual([401, expect.stringContaining('The token is expired.')])
  })

  it('has twenty streams for a project, in whichever processes, and forgets those of one that was killed', async () => {
    const streams = Array.from({ length: 20 }, (_, index) => ask(`s-${index}`))
    for (const { until } of streams) await until(/^retry/)
    const refused = ask('more')
    await refused.over
    expect([refused.got.status, refused.got.headers['Retry-After']]).toEqual([429, '30'])
    streams[0]?.close()
    await expect(streams[0]?.over).rejects.toThrow()
    const next = ask('next')
    await next.until(/^retry/)
    const closing = [...streams.slice(1), next].map(({ close, over }) => {
      close()
      return expect(over).rejects.toThrow()
    })
    await Promise.all(closing)
    const { projectId } = reader
    const ago = new Date(Date.now() - 1).toISOString()
    expect(await lab.stores.streamPlaces.take({ projectId, id: 'killed', until: ago, max: 1 })).toBe(0)
    expect(await lab.stores.streamPlaces.take({ projectId, id: 'new', until: ago, max: 1 })).toBe(0)
    await lab.stores.streamPlaces.leave({ projectId, id: 'killed', place: 0 })
    expect(await lab.stores.streamPlaces.take({ projectId, id: 'other', until: ago, max: 1 })).toBe(0)
  })

  it('is what Lambda streams the answer of', async () => {
    const wrapped: unknown[] = []
    const awslambda = { streamifyResponse: (handler: unknown) => wrapped.push(handler) && handler }
    Object.assign(globalThis, { awslambda })
    try {
      const { handler } = await import('../../../functions/event-stream/handler.ts')
      expect(wrapped).toEqual([handler])
      const call = handler as unknown as (event: unknown, response: unknown) => Promise<void>
      await expect((async () => call({}, new PassThrough()))()).rejects.toThrow(EnvironmentInvalid)
    } finally {
      Reflect.deleteProperty(globalThis, 'awslambda')
    }
  })
})

describe('GET /v1/events?follow=true where the gateway answers', () => {
  it('says where the stream is', async () => {
    const app = lab.appWith({ eventStreamUrl: 'https://abc.lambda-url.eu-central-1.on.aws/v1/events' })
    const { status, headers } = await callApp(app, 'GET', '/v1/events?follow=true', { as: reader })
    expect([status, headers.link]).toEqual([
      200,
      '<https://abc.lambda-url.eu-central-1.on.aws/v1/events?follow=true>; rel="alternate"; type="text/event-stream"',
    ])
    expect((await callApp(app, 'GET', '/v1/events', { as: reader })).headers.link).toBeUndefined()
  })
})
