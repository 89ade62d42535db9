import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { AppError } from '../core/values/app-error.ts'
import {
  type AddressPolicy,
  checkServerUrl,
  type GuardedLookup,
  hostOf,
  type ResolvedAddress,
} from './address-guard.ts'
import { readBody } from './answer-body.ts'
import type { Connection, PodPort } from './client.ts'
import { DialledAgent } from './dialled-agent.ts'
import { type Asked, codeOf, connectTimedOut, networkError, requestTimedOut } from './network-errors.ts'
import {
  addressesOf,
  type Forwarded,
  type ForwardPort,
  pathBelow,
  pinnedTo,
  portOf,
  type Target,
  type TransportAnswer,
  type TransportLimits,
  timeout,
  tlsOptions,
} from './target.ts'

export const DEFAULT_LIMITS: TransportLimits = {
  connectMilliseconds: 3_000,
  totalMilliseconds: 15_000,
  maxAnswerBytes: Number.POSITIVE_INFINITY,
}

/** Milliseconds for which an answer shows that a server can be reached. */
const ANSWER_MS = 5_000

/** Connections to one API server at a time; more calls wait in line, within their total time-out. */
const MAX_SOCKETS = 16

export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Encoded, from the root of the API server: `/api/v1/nodes`. */
  path: string
  query?: Readonly<Record<string, string>>
  contentType?: string
  body?: string
  /** Default `application/json`. */
  accept?: string
  /** Bytes that the answer may have. */
  maxBytes: number
}

/** One API server over HTTPS: pinned address, keep-alive, time-outs, size limit; redirects are answers like any other. */
export type Transport = {
  /** @throws the errors of `errors.ts` up to the answer; whatever its status is, an answer is returned */
  send(request: TransportRequest): Promise<TransportAnswer>
  /** A byte stream to a pod's port, on a connection of its own; or the answer that refuses it. @throws as `send` */
  forward(pod: PodPort): Promise<Forwarded>
  /** True when it answered within the last seconds, and nothing failed to reach it since. */
  answersNow(): boolean
  /** Ends kept-alive connections; forwarded ones are their callers'. */
  close(): void
}

export type TransportOptions = {
  policy: AddressPolicy
  lookup: GuardedLookup
  limits: TransportLimits
  forwardPort: ForwardPort
}

/** @throws AddressForbidden for a denied IP literal, before any socket; not for a server that is dialled */
export const openTransport = (connection: Connection, options: TransportOptions): Transport => {
  const target = targetOf(connection, options)
  let answeredAt = 0
  return {
    send: async (request) => {
      try {
        const answer = await send(target, request)
        answeredAt = Date.now()
        return answer
      } catch (error) {
        answeredAt = 0
        throw error
      }
    },
    answersNow: () => Date.now() - answeredAt < ANSWER_MS,
    forward: (pod) => forgettingUnreachable(target, () => options.forwardPort(target, pod)),
    close: () => target.agent.destroy(),
  }
}

const targetOf = (connection: Connection, { policy, lookup, limits }: TransportOptions): Target => {
  const { credential, dial } = connection
  const url = dial === undefined ? checkServerUrl(connection.server, policy) : new URL(connection.server)
  const tls = tlsOptions(connection, url)
  const pool = { keepAlive: true, maxSockets: MAX_SOCKETS, ...tls }
  return {
    url,
    tls,
    agent: dial === undefined ? new Agent(pool) : new DialledAgent(dial, pool),
    authorization: credential.kind === 'token' ? `Bearer ${credential.token.reveal()}` : undefined,
    lookup,
    dial,
    limits,
    trust: { givenCa: connection.caPem !== null },
  }
}

/** The next call looks the name up again after a connection failed. */
const forgettingUnreachable = async <T>({ lookup, url }: Target, call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof AppError && error.name.startsWith('Connect')) lookup.forget(hostOf(url))
    throw error
  }
}

/** Calls that the API server may carry out twice without harm, so that a connection that it had closed meanwhile is no failure. */
const REPEATABLE = new Set(['GET', 'PUT', 'DELETE', 'PATCH'])

/** Thrown inside: a kept-alive connection was closed just when it was used again. */
class StaleSocket extends Error {
  override readonly name = 'StaleSocket'
}

const send = (target: Target, request: TransportRequest): Promise<TransportAnswer> => {
  const asked: Asked = { method: request.method, path: request.path, host: target.url.host }
  const deadline = Date.now() + target.limits.totalMilliseconds
  const attempt = async (canBeStale: boolean): Promise<TransportAnswer> => {
    const addresses = await addressesOf(target, asked)
    return exchange(target, { request, asked, addresses, deadline, canBeStale })
  }
  return forgettingUnreachable(target, async () => {
    try {
      return await attempt(REPEATABLE.has(request.method))
    } catch (error) {
      if (!(error instanceof StaleSocket)) throw error
      return attempt(false)
    }
  })
}

type Exchange = {
  request: TransportRequest
  asked: Asked
  addresses: readonly ResolvedAddress[]
  deadline: number
  canBeStale: boolean
}

const exchange = (target: Target, exchange: Exchange): Promise<TransportAnswer> => {
  const { asked, deadline, canBeStale } = exchange
  const { limits, trust } = target
  const maxBytes = Math.min(limits.maxAnswerBytes, exchange.request.maxBytes)
  return new Promise((resolvePromise, rejectPromise) => {
    const outgoing = startRequest(target, exchange)
    let answered = false
    const fail = (error: unknown): void => {
      clearTimeout(total)
      const isStale =
        canBeStale && !answered && outgoing.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
      rejectPromise(isStale ? new StaleSocket() : error instanceof AppError ? error : networkError(asked, error, trust))
      outgoing.destroy()
    }
    const total = setTimeout(
      () => fail(requestTimedOut(asked, limits.totalMilliseconds)),
      Math.max(0, deadline - Date.now()),
    )
    limitConnect(outgoing, limits.connectMilliseconds, () => fail(connectTimedOut(asked, limits.connectMilliseconds)))
    const succeed = (answer: IncomingMessage, body: string): void => {
      clearTimeout(total)
      resolvePromise({ status: answer.statusCode ?? 0, headers: answer.headers, body, asked })
    }
    outgoing.on('error', fail)
    outgoing.on('response', (answer) => {
      answered = true
      readBody(answer, { asked, maxBytes }).then((body) => succeed(answer, body), fail)
    })
    outgoing.end(exchange.request.body)
  })
}

const startRequest = (
  { url, agent, authorization, trust }: Target,
  { request, asked, addresses }: Exchange,
): ClientRequest => {
  const query = new URLSearchParams(request.query).toString()
  try {
    return httpsRequest({
      agent,
      host: hostOf(url),
      port: portOf(url),
      method: request.method,
      path: `${pathBelow(url, request.path)}${query === '' ? '' : `?${query}`}`,
      lookup: pinnedTo(addresses),
      headers: {
        accept: request.accept ?? 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'fedplane',
        ...(authorization === undefined ? {} : { authorization }),
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
      },
    })
  } catch (error) {
    throw networkError(asked, error, trust)
  }
}

/** Sockets that a request has had already. `reusedSocket` is not set for a request that waited in the agent's queue for one. */
const taken = new WeakSet<object>()

/** Calls back when a *new* socket is not connected, TLS included, in time. Waiting for a free socket does not count. */
const limitConnect = (outgoing: ClientRequest, milliseconds: number, onTimeOut: () => void): void => {
  outgoing.once('socket', (socket) => {
    if (taken.has(socket)) return
    taken.add(socket)
    const stop = timeout(milliseconds, onTimeOut)
    socket.once('secureConnect', stop)
    socket.once('close', stop)
  })
}
