import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as z from 'zod'
import { TooManyRequests } from '../../core/errors.ts'
import type { EventStore, FeedEntry } from '../../store/stores.ts'
import { booleanOf } from '../body/fields.ts'
import { errorResponse } from '../envelope.ts'
import { principalOf, toResult } from '../middleware.ts'
import type { ApiApp } from '../routes-app.ts'
import { showFeedEvent } from './events.routes.ts'

/** Between signs of life of a stream in which nothing happens, milliseconds. Then it is also asked whether the caller may still read. */
const HEARTBEAT_MS = 15_000
/** How long a browser waits before it connects again, milliseconds. */
const RETRY_MS = 2_000
/** Events read at once. */
const PAGE = 100

/** Streams of one process at a time: each keeps a connection. */
const STREAMS_MAX = 100
/** Of these, of one project; also where each has a process of its own. */
export const PROJECT_STREAMS_MAX = 20
/** After a refusal for the number of streams, seconds. */
const RETRY_AFTER_SECONDS = 30

/** An answer whose body goes on; without `frames` it is one like any other. */
export type StreamedResult = APIGatewayProxyStructuredResultV2 & { frames?: AsyncIterable<string> }

export type EventStreamParts = {
  app: ApiApp
  events: Pick<EventStore, 'feed'>
  /** The authorizer: asked again at each heartbeat, so that a token that was revoked ends its stream. */
  authorize(headers: APIGatewayProxyEventV2['headers']): Promise<Record<string, unknown>>
  /** Resolves when the project's feed may have grown since it was asked, after so many milliseconds, or when the signal says so. */
  changed(projectId: string, milliseconds: number, signal: AbortSignal): Promise<void>
  /** Default: 15 s. */
  heartbeatMs?: number
  /** Default: in this process. */
  places?: StreamPlaces
}

/** How many streams there may be. */
export interface StreamPlaces {
  /** Takes a place of a project; undefined when there is none. @returns leaves it */
  take(projectId: string): Promise<(() => void) | undefined>
  /** Resolves when all that were left are free. */
  settled(): Promise<void>
}

const isFollow = ({ rawPath, rawQueryString, requestContext }: APIGatewayProxyEventV2): boolean =>
  requestContext.http.method === 'GET' &&
  rawPath.endsWith('/v1/events') &&
  booleanOf(new URLSearchParams(rawQueryString).get('follow')) === true

/** An event as it is shown, under its cursor. */
const frameOf = (event: { cursor: string }): string => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`

/** Places of one process. */
const placesHere = (): StreamPlaces => {
  const open = new Map<string, number>()
  let all = 0
  const leave = (projectId: string): void => {
    const left = (open.get(projectId) ?? 1) - 1
    if (left > 0) open.set(projectId, left)
    else open.delete(projectId)
    all -= 1
  }
  return {
    take: async (projectId) => {
      const own = open.get(projectId) ?? 0
      if (own >= PROJECT_STREAMS_MAX || all >= STREAMS_MAX) return undefined
      open.set(projectId, own + 1)
      all += 1
      return () => leave(projectId)
    },
    settled: async () => undefined,
  }
}

/** What the route answers, as far as a stream goes on from it. */
const firstPage = z.object({ events: z.array(z.looseObject({ cursor: z.string() })), cursor: z.string().nullable() })

type Stream = { parts: EventStreamParts; event: APIGatewayProxyEventV2; projectId: string; signal: AbortSignal }

/** True while the caller may still read: asked by the same request as at the beginning. */
const mayRead = async ({ parts, event }: Stream): Promise<boolean> => {
  const lambda = await parts.authorize(event.headers)
  const again = {
    ...event,
    requestContext: { ...event.requestContext, authorizer: { lambda } },
    rawQueryString: 'limit=1',
  }
  return (await parts.app(again)).statusCode === 200
}

/** What comes after a position, page by page, for ever; undefined when nothing came for a heartbeat. */
async function* entriesAfter(
  { parts, projectId, signal }: Stream,
  start: string,
): AsyncGenerator<FeedEntry | undefined> {
  const { events, changed, heartbeatMs = HEARTBEAT_MS } = parts
  let after = start
  while (!signal.aborted) {
    // Asked before the feed is read: what comes meanwhile counts.
    const growth = changed(projectId, heartbeatMs, signal)
    const { items } = await events.feed(projectId, { limit: PAGE, after })
    for (const item of items) {
      yield item
      after = item.position
    }
    if (items.length > 0) continue
    await growth
    yield undefined
  }
}

/** The caller's right to read is asked for again whenever a sign of life is due. */
async function* laterFrames(stream: Stream, after: string): AsyncGenerator<string> {
  const { heartbeatMs = HEARTBEAT_MS } = stream.parts
  let askedAt = performance.now()
  for await (const entry of entriesAfter(stream, after)) {
    const isDue = performance.now() - askedAt >= heartbeatMs
    if (isDue && !(await mayRead(stream))) return
    if (isDue) askedAt = performance.now()
    if (entry !== undefined) yield frameOf(showFeedEvent(entry))
    else if (isDue) yield ': heartbeat\n\n'
  }
}

async function* framesOf(stream: Stream, page: z.output<typeof firstPage>): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`
  for (const event of page.events) yield frameOf(event)
  yield* laterFrames(stream, page.cursor ?? '0')
}

export type StreamingApp = (event: APIGatewayProxyEventV2, signal: AbortSignal) => Promise<StreamedResult>

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Proxies such as nginx would keep it back.
  'X-Accel-Buffering': 'no',
}

/**
 * An API whose `GET /v1/events?follow=true` goes on as server-sent events (HTML standard, section 9.2): the id of each is its cursor, with which
 * `Last-Event-ID` resumes without loss. All other requests are answered as the API does. Streams end with the signal, which the server
 * gives whenever the answer is over, and when the caller may read no longer; a client connects again then, and is told why.
 */
export const streamingApp = (parts: EventStreamParts): StreamingApp => {
  const { places = placesHere() } = parts
  return async (event, signal) => {
    const result = await parts.app(event)
    if (!isFollow(event) || result.statusCode !== 200 || signal.aborted) return result
    const { projectId } = principalOf(event.requestContext)
    const leave = await places.take(projectId)
    if (leave === undefined) {
      const message = `There are ${PROJECT_STREAMS_MAX} streams of the project, or ${STREAMS_MAX} of all. Close one, or ask with "since" in place of "follow".`
      const refusal = new TooManyRequests(message, { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } })
      return toResult(event, errorResponse(refusal, { baseUrl: '', authUrl: '' }))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    const page = firstPage.parse(JSON.parse(result.body ?? ''))
    const frames = framesOf({ parts, event, projectId, signal }, page)
    return { ...result, headers: { ...result.headers, ...HEADERS }, body: '', frames }
  }
}
