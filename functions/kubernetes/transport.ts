import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { AppError } from '../domain/app-error.ts'
import type { AddressPolicy } from './address-guard.ts'
import { checkServerUrl, type GuardedLookup, hostOf, type ResolvedAddress } from './address-guard.ts'
import { MAX_ANSWER_BYTES, readBody } from './answer-body.ts'
import type { Connection } from './client.ts'
import {
  type Asked,
  codeOf,
  connectTimedOut,
  dnsLookupFailed,
  networkError,
  requestTimedOut,
  type Trust,
} from './network-errors.ts'
import { tlsOptions } from './tls-options.ts'

export type TransportLimits = {
  /** Name resolved, TCP and TLS connected. Default 3,000. */
  connectMilliseconds: number
  /** From the call to the last byte. Default 15,000. */
  totalMilliseconds: number
  /** Default 16 MiB, before and after decompression. */
  maxAnswerBytes: number
}

export const DEFAULT_LIMITS: TransportLimits = {
  connectMilliseconds: 3_000,
  totalMilliseconds: 15_000,
  maxAnswerBytes: MAX_ANSWER_BYTES,
}

/** Connections to one API server at a time; more calls wait in line, within their total time-out. */
const MAX_SOCKETS = 16

export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Encoded, from the root of the API server: `/api/v1/nodes`. */
  path: string
  query?: Readonly<Record<string, string>>
  contentType?: string
  body?: string
}

export type TransportAnswer = { status: number; headers: IncomingHttpHeaders; body: string; asked: Asked }

/** One API server over HTTPS: pinned address, keep-alive, time-outs, size limit; redirects are answers like any other. */
export type Transport = {
  /** @throws the errors of `errors.ts` up to the answer; whatever its status is, an answer is returned */
  send(request: TransportRequest): Promise<TransportAnswer>
  close(): void
}

export type TransportOptions = { policy: AddressPolicy; lookup: GuardedLookup; limits: TransportLimits }

type Target = {
  url: URL
  agent: Agent
  authorization: string | undefined
  lookup: GuardedLookup
  limits: TransportLimits
  trust: Trust
}

/** @throws AddressForbidden for a denied IP literal, before any socket */
export const openTransport = (connection: Connection, { policy, lookup, limits }: TransportOptions): Transport => {
  const url = checkServerUrl(connection.server, policy)
  const { credential } = connection
  const target: Target = {
    url,
    agent: new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, ...tlsOptions(connection, url) }),
    authorization: credential.kind === 'token' ? `Bearer ${credential.token.reveal()}` : undefined,
    lookup,
    limits,
    trust: { givenCa: connection.caPem !== null },
  }
  return { send: (request) => send(target, request), close: () => target.agent.destroy() }
}

/** Calls that the API server may carry out twice without harm, so that a connection that it had closed meanwhile is no failure. */
const REPEATABLE = new Set(['GET', 'PUT', 'DELETE', 'PATCH'])

/** Thrown inside: a kept-alive connection was closed just when it was used again. */
class StaleSocket extends Error {
  override readonly name = 'StaleSocket'
}

const send = async (target: Target, request: TransportRequest): Promise<TransportAnswer> => {
  const { url, lookup, limits } = target
  const asked: Asked = { method: request.method, path: request.path, host: url.host }
  const deadline = Date.now() + limits.totalMilliseconds
  const attempt = async (canBeStale: boolean): Promise<TransportAnswer> => {
    const addresses = await resolve(target, asked)
    return exchange(target, { request, asked, addresses, deadline, canBeStale })
  }
  try {
    try {
      return await attempt(REPEATABLE.has(request.method))
    } catch (error) {
      if (!(error instanceof StaleSocket)) throw error
      return await attempt(false)
    }
  } catch (error) {
    if (error instanceof AppError && error.name.startsWith('Connect')) lookup.forget(hostOf(url))
    throw error
  }
}

const resolve = async ({ url, lookup, limits }: Target, asked: Asked): Promise<readonly ResolvedAddress[]> => {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(dnsLookupFailed(asked, 'time-out')), limits.connectMilliseconds)
  })
  try {
    return await Promise.race([lookup.addresses(hostOf(url)), tooLate])
  } catch (error) {
    throw error instanceof AppError ? error : dnsLookupFailed(asked, codeOf(error))
  } finally {
    clearTimeout(timer)
  }
}

type Exchange = {
  request: TransportRequest
  asked: Asked
  addresses: readonly ResolvedAddress[]
  deadline: number
  canBeStale: boolean
}

/** `lookup` of a socket that knows only the checked addresses. */
const pinnedTo =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family ?? 4)
  }

const exchange = (target: Target, exchange: Exchange): Promise<TransportAnswer> => {
  const { asked, deadline, canBeStale } = exchange
  const { limits, trust } = target
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
      readBody(answer, { asked, maxBytes: limits.maxAnswerBytes }).then((body) => succeed(answer, body), fail)
    })
    outgoing.end(exchange.request.body)
  })
}

const startRequest = (
  { url, agent, authorization, trust }: Target,
  { request, asked, addresses }: Exchange,
): ClientRequest => {
  const query = new URLSearchParams(request.query).toString()
  const base = url.pathname.replace(/\/+$/, '')
  try {
    return httpsRequest({
      agent,
      host: hostOf(url),
      port: url.port === '' ? 443 : Number(url.port),
      method: request.method,
      path: `${base}${request.path}${query === '' ? '' : `?${query}`}`,
      lookup: pinnedTo(addresses),
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
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
    const timer = setTimeout(onTimeOut, milliseconds)
    const stop = (): void => clearTimeout(timer)
    socket.once('secureConnect', stop)
    socket.once('close', stop)
  })
}
