import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'

/** Name resolved, TCP and TLS connected, milliseconds. */
const CONNECT_MS = 3_000

/** There is no whole answer: the message says why, and holds no header, query or body. For callers, who make an error of their own of it. */
export class NoWholeAnswer extends Error {
  override readonly name = 'NoWholeAnswer'
  /** Host, and the code of Node's error. */
  readonly details: { host: string; code?: string }

  constructor(message: string, details: NoWholeAnswer['details']) {
    super(message)
    this.details = details
  }
}

export type HttpCall = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: URL
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /** PEM of the only authorities that may vouch for the server. Default: those that everybody trusts. */
  caPem?: string | undefined
  /** In place of the system's, for addresses that were checked. */
  lookup?: LookupFunction
  /** Ends the call with all that belongs to it. */
  signal: AbortSignal
  /** The most that is read of the answer. */
  answerBytesMax: number
}

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; body: string }

/** `GET https://keystone.example.org/v3/auth/tokens`, without query. */
const describeCall = ({ method, url }: HttpCall): string => `${method} ${url.origin}${url.pathname}`

/** Node's errors of the HTTP layer may quote a header, so only their code is kept. */
const failure = (call: HttpCall, why: string, code?: unknown): NoWholeAnswer =>
  new NoWholeAnswer(`${describeCall(call)} failed: ${why}.`, {
    host: call.url.host,
    ...(typeof code === 'string' ? { code } : {}),
  })

const reasonFor = (call: HttpCall, error: unknown): NoWholeAnswer => {
  if (error instanceof NoWholeAnswer) return error
  if (call.signal.aborted) return failure(call, 'no whole answer in time')
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return failure(call, `the connection broke (${typeof code === 'string' ? code : 'no code'})`, code)
}

const readBody = async (call: HttpCall, answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > call.answerBytesMax) throw failure(call, `the answer is larger than ${call.answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const start = ({ method, url, headers, body, caPem, lookup, signal }: HttpCall): ClientRequest => {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return request(url, {
    method,
    signal,
    // A function sleeps between requests, and wakes with connections that the other side closed long ago.
    agent: false,
    ...(caPem === undefined ? {} : { ca: caPem }),
    ...(lookup === undefined ? {} : { lookup }),
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'fedplane',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
  })
}

const limitConnect = (outgoing: ClientRequest, call: HttpCall): void => {
  const timer = setTimeout(
    () => outgoing.destroy(failure(call, `no connection within ${CONNECT_MS / 1000} s`)),
    CONNECT_MS,
  )
  const stop = (): void => clearTimeout(timer)
  outgoing.once('close', stop)
  outgoing.once('socket', (socket) => {
    socket.once(call.url.protocol === 'https:' ? 'secureConnect' : 'connect', stop)
  })
}

/**
 * One call on a connection of its own: bounded in time and size. For everybody but the clusters, whose transport pins addresses and keeps connections
 * (decision 0008). A redirect is an answer like any other, because whoever sends us elsewhere would get the token.
 *
 * @throws NoWholeAnswer when there is no whole answer; whatever its status is, an answer is returned
 */
export const httpCall = (call: HttpCall): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(reasonFor(call, error))
    const outgoing = start(call)
    limitConnect(outgoing, call)
    outgoing.on('error', fail)
    outgoing.on('response', (answer) => {
      readBody(call, answer).then(
        (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
        (error: unknown) => {
          fail(error)
          outgoing.destroy()
        },
      )
    })
    outgoing.end(call.body)
  })
