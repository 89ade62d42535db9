import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type EventStreamParts, type StreamPlaces, streamingApp } from '../api/events/event-stream.ts'

/** How long a stream lasts, milliseconds: a client that is gone is not noticed before, and one that is there resumes at once. */
export const STREAM_MS = 300_000
/** Between looks at a feed, milliseconds: nothing tells this function that one has grown. */
const LOOK_MS = 1_000

type Head = { statusCode: number; headers: Record<string, string> }

export type StreamFunctionParts = Pick<EventStreamParts, 'app' | 'events' | 'authorize' | 'heartbeatMs'> & {
  places: StreamPlaces
  /** Default: 5 minutes. */
  streamMs?: number
  /** Default: 1 s. */
  lookMs?: number
}

/** Resolves after some milliseconds, or when the signal says so. */
const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })

/** What the gateway's authorizer does for the API: whatever a caller says of themselves is replaced. */
const authorized = async (
  event: APIGatewayProxyEventV2,
  authorize: EventStreamParts['authorize'],
): Promise<APIGatewayProxyEventV2> => {
  const lambda = await authorize(event.headers)
  const requestContext = { ...event.requestContext, authorizer: { lambda } }
  return { ...event, requestContext }
}

/** Answers requests with a body that goes on, as the local server does. Ends before Lambda would end it; a client resumes by `Last-Event-ID`. */
export const streamFunction = ({ places, streamMs = STREAM_MS, lookMs = LOOK_MS, ...parts }: StreamFunctionParts) => {
  const changed: EventStreamParts['changed'] = (_, milliseconds, signal) => wait(Math.min(milliseconds, lookMs), signal)
  const app = streamingApp({ ...parts, places, changed })
  return async (event: APIGatewayProxyEventV2, open: (head: Head) => Writable): Promise<void> => {
    const ended = new AbortController()
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(streamMs)])
    try {
      const result = await app(await authorized(event, parts.authorize), signal)
      const { statusCode = 500, headers = {}, body = '', frames = [body] } = result
      const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
      const sink = open({ statusCode, headers: Object.fromEntries(named) })
      // Frames are waited for until the next sign of life.
      sink.once('close', () => ended.abort())
      await pipeline(Readable.from(frames), sink)
    } finally {
      ended.abort()
      await places.settled()
    }
  }
}
