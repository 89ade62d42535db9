import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type EventStreamParts, type StreamedResult, streamingApp } from '../../../functions/api/events/event-stream.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { FeedSignal } from '../../../local/bus/feed-signal.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, eventOf, READER } from '../../support/api/request.ts'
import { sampleEvent, sampleFederation, sampleId } from '../../support/store/samples.ts'

let lab: ApiLab
let feedSignal: FeedSignal
let position = 0
/** Each test's own. */
let reader: Principal
beforeAll(async () => {
  lab = await createApiLab()
  feedSignal = new FeedSignal()
})
afterAll(() => lab.dispose())

const happens = async (message: string, time = '2026-11-29T10:00:00.000Z', { projectId } = reader): Promise<string> => {
  position += 1
  const event = sampleEvent({ projectId, id: sampleId(), message, time })
  await lab.stores.events.publish({ position: String(position), event })
  feedSignal.notify(projectId)
  return String(position)
}
const newProject = (): void => {
  reader = { ...READER, projectId: sampleId() }
}
type Listed = { message: string }
const messagesOf = ({ body }: { body: { events: Listed[] } }) => body.events.map(({ message }) => message)
const list = (query = '') => lab.call('GET', `/v1/events${query}`, { as: reader })

describe('GET /v1/events', () => {
  it('lists what happened in the project, and says where to go on', async () => {
    newProject()
    const cursors = [await happens('one'), await happens('two'), await happens('three')]
    await happens('elsewhere', undefined, BOB)
    const { status, body } = await list('?limit=2')
    expect([status, messagesOf({ body }), body.cursor]).toEqual([200, ['one', 'two'], cursors[1]])
    expect(body.events[0]).toEqual({
      id: expect.any(String),
      cursor: cursors[0],
      type: 'cluster.create.success',
      owner: { kind: 'cluster', uuid: 'c1', name: 'paris' },
      cluster_id: null,
      reason: 'Created',
      message: 'one',
      sequence: 2,
      time: '2026-11-29T10:00:00.000+00:00',
    })
    expect(body.next).toMatch(/\/v1\/events\?limit=2&since=\d+$/)
    const rest = await list(`?${body.next.split('?')[1]}`)
    expect([messagesOf(rest), rest.body.next]).toEqual([['three'], undefined])
    const nothing = await list(`?since=000${rest.body.cursor}`)
    expect(nothing.body).toEqual({ events: [], cursor: rest.body.cursor })
  })

  it('refuses a cursor that is beyond all there is', async () => {
    newProject()
    const cursor = await happens('one')
    expect((await list(`?since=${cursor}`)).body).toEqual({ events: [], cursor })
    const { status, text } = await list(`?since=${cursor}0`)
    expect([status, text]).toEqual([400, expect.stringContaining('a cursor of another server')])
  })

  it('says of which federation an event of a member is', async () => {
    newProject()
    const { projectId } = reader
    const federation = sampleFederation({ projectId, id: sampleId(), name: 'fleet' })
    await lab.stores.commit([lab.stores.federations.insert(federation)])
    for (const id of [federation.id, sampleId()]) {
      const { name: _, ...event } = sampleEvent({ projectId, owner: { kind: 'federation', id }, clusterId: 'c1' })
      position += 1
      await lab.stores.events.publish({ position: String(position), event: { ...event, id: sampleId() } })
    }
    const { body } = await list()
    expect(body.events.map(({ owner }: { owner: { name: string | null } }) => owner.name)).toEqual(['fleet', null])
  })

  it('begins at a time', async () => {
    newProject()
    await happens('early', '2026-11-29T09:59:59.000Z')
    await happens('late')
    expect(messagesOf(await list('?since=2026-11-29T12:00:00%2B02:00'))).toEqual(['late'])
  })

  it('says where to go on after a time since which nothing happened', async () => {
    newProject()
    const cursor = await happens('early')
    expect((await list('?since=2026-11-29T12:00:00Z')).body).toEqual({ events: [], cursor })
  })

  it('is empty where nothing happened, and has no cursor then', async () => {
    newProject()
    expect((await list()).body).toEqual({ events: [], cursor: null })
  })

  it.each(['yesterday', '-1', '1'.repeat(41), '2026-13-01T00:00:00Z', ''])('refuses since=%s', async (since) => {
    newProject()
    const { status, text } = await list(`?since=${since}`)
    expect([status, text]).toEqual([400, expect.stringContaining('must be a cursor')])
  })
})

describe('a stream of events', () => {
  let ending = new AbortController()
  afterEach(() => {
    ending.abort()
    ending = new AbortController()
  })

  type Options = { headers?: Record<string, string>; query?: string; parts?: Partial<EventStreamParts> }
  const apps = new Map<unknown, ReturnType<typeof streamingApp>>()
  /** One app for all tests that change nothing of it, as of a server. */
  const open = async ({ headers = {}, query = '', parts }: Options = {}): Promise<StreamedResult> => {
    const usual: EventStreamParts = {
      app: lab.app,
      events: lab.stores.events,
      authorize: async () => ({ principal: JSON.stringify(reader) }),
      changed: feedSignal.changed,
    }
    const app = apps.get(parts) ?? streamingApp({ ...usual, ...parts })
    apps.set(parts, app)
    return app(eventOf('GET', `/v1/events?follow=true${query}`, { as: reader, headers }), ending.signal)
  }
  const framesOf = (result: StreamedResult) => result.frames![Symbol.asyncIterator]()
  const next = async (frames: AsyncIterator<string>): Promise<string> => String((await frames.next()).value)
  const said = async (frames: AsyncIterator<string>): Promise<[string, string]> => {
    const [, id = '', data = ''] = /^id: (.*)\ndata: (.*)\n\n$/.exec(await next(frames)) ?? []
    return [id, JSON.parse(data).message]
  }

  it('begins now, and has what happens from then on', async () => {
    newProject()
    await happens('before')
    const result = await open()
    expect([result.statusCode, result.headers?.['Content-Type']]).toEqual([200, 'text/event-stream'])
    const frames = framesOf(result)
    expect(await next(frames)).toBe('retry: 2000\n\n')
    const reading = said(frames)
    const cursor = await happens('after')
    expect(await reading).toEqual([cursor, 'after'])
  })

  it('goes on after the last event that the client had, or from a cursor, without loss', async () => {
    newProject()
    const first = await happens('first')
    await happens('second')
    for (const options of [{ headers: { 'Last-Event-ID': first } }, { query: `&since=${first}` }]) {
      const frames = framesOf(await open(options))
      await next(frames)
      expect((await said(frames))[1]).toBe('second')
    }
  })

  it.each([
    ['a time since which nothing happened', { query: '&since=2026-11-29T12:00:00Z' }],
    ['an id beyond the newest event, which is of another server', { headers: { 'Last-Event-ID': '9'.repeat(20) } }],
  ])('begins now with %s', async (_, options) => {
    newProject()
    await happens('before')
    const frames = framesOf(await open(options))
    await next(frames)
    const reading = said(frames)
    await happens('after')
    expect((await reading)[1]).toBe('after')
  })

  it('reads on page by page when much has happened', async () => {
    newProject()
    const messages = Array.from({ length: 230 }, (_, index) => `event ${index}`)
    for (const message of messages) await happens(message)
    const frames = framesOf(await open({ query: '&since=0&limit=7' }))
    await next(frames)
    const seen: string[] = []
    while (seen.length < messages.length) seen.push((await said(frames))[1])
    expect(seen).toEqual(messages)
  })

  it('gives a sign of life when nothing happens, and ends when the caller may read no longer', async () => {
    newProject()
    let isValid = true
    const authorize = async () => (isValid ? { principal: JSON.stringify(reader) } : { reason: 'revoked' })
    const frames = framesOf(await open({ parts: { authorize, heartbeatMs: 5 } }))
    await next(frames)
    expect(await next(frames)).toBe(': heartbeat\n\n')
    isValid = false
    while ((await frames.next()).done !== true) expect(isValid).toBe(false)
  })

  it('ends with its connection', async () => {
    newProject()
    const frames = framesOf(await open())
    await next(frames)
    const reading = frames.next()
    ending.abort()
    expect((await reading).done).toBe(true)
  })

  it('is one of 20 of a project; a place is free again when one ends', async () => {
    newProject()
    const held = new AbortController()
    const parts: Partial<EventStreamParts> = {}
    for (let count = 0; count < 20; count++) expect((await open({ parts })).statusCode).toBe(200)
    const refused = await open({ parts })
    expect([refused.statusCode, refused.headers?.['Retry-After'], refused.frames]).toEqual([429, '30', undefined])
    expect(refused.body).toContain('20 streams of the project')
    const own = reader
    reader = { ...BOB, projectId: sampleId() }
    expect((await open({ parts })).statusCode).toBe(200)
    reader = own
    held.abort()
    ending.abort()
    ending = new AbortController()
    expect((await open({ parts })).statusCode).toBe(200)
  })

  it('is refused as any other request is', async () => {
    newProject()
    expect((await open({ query: '&since=never' })).statusCode).toBe(400)
    const app = streamingApp({
      app: lab.app,
      events: lab.stores.events,
      authorize: async () => ({}),
      changed: feedSignal.changed,
    })
    const nobody = await app(eventOf('GET', '/v1/events?follow=true', { as: null }), ending.signal)
    expect([nobody.statusCode, nobody.frames]).toEqual([401, undefined])
    const list = await app(eventOf('GET', '/v1/events?follow=false', { as: ALICE }), ending.signal)
    expect([list.statusCode, list.frames]).toEqual([200, undefined])
  })
})
