import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { StreamedResult } from '../../functions/api/events/event-stream.ts'
import type { Logger } from '../../functions/core/ports.ts'
import { AppError } from '../../functions/core/values/app-error.ts'
import { type ApiEvent, PathMalformed, type ReceivedRequest, receivedRequest, toApiEvent } from './api-event.ts'
import { isForeign, isUndeclaredBody, type OwnAddress, takesAnyBody } from './foreign.ts'
import type { PeerUsers } from './peer-user.ts'
import { announcesTooMuch, BodyTooLarge, RequestAborted, readBody } from './read-body.ts'
import { REFUSALS, type Refusal, rawRefusal, refusalBody } from './refusal.ts'
import { bodyLength, RESULT_BYTES_MAX, writeFrames, writeResult } from './write-result.ts'

/** Another program listens on the port. */
class PortInUse extends AppError {
  override readonly name = 'PortInUse'
  readonly kind = 'conflict'
}

export type HttpLimits = {
  /** Bytes. Default 10 MiB, as API Gateway. */
  bodyBytesMax: number
  /** Request line and headers, bytes. Default 10,240, as API Gateway. */
  headerBytesMax: number
  /** Until the function's answer, milliseconds. Default 30,000, as API Gateway. */
  answerTimeoutMs: number
  /** Until the request has arrived whole, milliseconds. Default 30,000. */
  requestTimeoutMs: number
}

const LIMITS: HttpLimits = {
  bodyBytesMax: 10 * 1024 * 1024,
  headerBytesMax: 10_240,
  answerTimeoutMs: 30_000,
  requestTimeoutMs: 30_000,
}

/** How long an unread body is thrown away after its refusal before the connection is cut, milliseconds. */
const DISCARD_MS = 5_000
/** How long `close` lets requests under way finish, milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000

export type HttpServerOptions = {
  /** 0 takes a free one. */
  port: number
  /** The Lambda function behind the gateway. The signal says that its answer is over, or that nobody waits for it. */
  handle: (event: ApiEvent, signal: AbortSignal) => Promise<StreamedResult>
  /** The Lambda authorizer: its answer becomes `requestContext.authorizer.lambda`. */
  authorize: (headers: Readonly<Record<string, string | undefined>>) => Promise<Record<string, unknown>>
  log: Logger
  /** Refuses what web pages make a browser send (`isForeign`). For when there are no tokens. Default false. */
  refuseForeign?: boolean
  /** Refuses connections of other users of this machine, where that can be told. For when there are no tokens. Default: nobody is refused. */
  peerUsers?: PeerUsers | undefined
  /** Where clients reach us besides loopback; requests for it are not foreign. */
  publicUrl?: string | undefined
  limits?: Partial<HttpLimits>
}

export type HttpServer = {
  port: number
  /** Takes no more connections, lets requests under way finish for a moment, then cuts them. Can be called twice. */
  close(): Promise<void>
}

/** API Gateway on loopback: turns HTTP requests into events for the API function and its results into answers. */
class Gateway {
  readonly #options: HttpServerOptions
  readonly #limits: HttpLimits
  /** How to end the answers that are under way. */
  readonly #open = new Set<() => void>()
  readonly server: Server
  /** Where it listens; it is still what requests are held against while the server closes. */
  port = 0

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    const { headerBytesMax, requestTimeoutMs } = this.#limits
    const answer = (message: IncomingMessage, response: ServerResponse): void => {
      void this.#answer(message, response)
    }
    this.server = createServer(
      { maxHeaderSize: headerBytesMax, requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs },
      answer,
    )
    this.server.on('checkContinue', (message, response) => {
      if (!announcesTooMuch(message, this.#limits.bodyBytesMax)) response.writeContinue()
      answer(message, response)
    })
    // At once: a client may close its end before its request is checked, and is nobody then.
    this.server.on('connection', (socket: Socket) => options.peerUsers?.isOwn(socket))
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseRaw(error, socket))
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID()
    try {
      if (this.#options.peerUsers?.isOwn(message.socket) === false) throw new OtherUser()
      const body = await readBody(message, this.#limits.bodyBytesMax)
      const event = await this.#event(message, body, requestId)
      const result = await this.#inTime(this.#options.handle(event, this.#endOf(response)), requestId)
      if (bodyLength(result) > RESULT_BYTES_MAX) throw new RangeError('The answer is larger than Lambda allows.')
      // Once the server closes, a kept connection would only make it wait.
      if (!this.server.listening) response.shouldKeepAlive = false
      if (result.frames === undefined) writeResult(response, result)
      else await writeFrames(response, result, result.frames)
    } catch (error) {
      this.#failed(error, message, response, requestId)
    }
  }

  /** A signal that is given when the answer is over or its connection gone, and when the server closes. */
  #endOf(response: ServerResponse): AbortSignal {
    const ended = new AbortController()
    const end = (): void => {
      this.#open.delete(end)
      ended.abort()
    }
    this.#open.add(end)
    response.once('close', end)
    return ended.signal
  }

  /** Ends the answers that go on. */
  endStreams(): void {
    for (const end of this.#open) end()
  }

  async #event(message: IncomingMessage, body: Buffer, requestId: string): Promise<ApiEvent> {
    const facts = { requestId, receivedAt: new Date(), domainName: message.headers.host ?? '127.0.0.1' }
    const request = receivedRequest(message, body)
    const event = toApiEvent(request, facts, {})
    const { refuseForeign, publicUrl } = this.#options
    if (refuseForeign) {
      assertOwn(event.headers, request, { port: this.port, publicUrl })
    }
    event.requestContext.authorizer.lambda = await this.#options.authorize(event.headers)
    return event
  }

  /** The result, or TimedOut; the call itself goes on, as on AWS it would until the function's own time-out. */
  async #inTime<T>(work: Promise<T>, requestId: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new AnswerTimedOut(requestId)), this.#limits.answerTimeoutMs)
    })
    return Promise.race([work, late]).finally(() => clearTimeout(timer))
  }

  #failed(error: unknown, message: IncomingMessage, response: ServerResponse, requestId: string): void {
    if (error instanceof RequestAborted) return
    const refusal = this.#refusalFor(error)
    if (refusal.status >= 500) this.#options.log.error('request failed', { requestId, status: refusal.status, error })
    refuse(response, refusal, requestId)
    if (!message.complete) discard(message)
  }

  #refusalFor(error: unknown): Refusal {
    if (error instanceof BodyTooLarge) return REFUSALS.bodyTooLarge(this.#limits.bodyBytesMax)
    if (error instanceof ForeignRequest) return REFUSALS.foreign()
    if (error instanceof OtherUser) return REFUSALS.otherUser()
    if (error instanceof UndeclaredBody) return REFUSALS.bodyUndeclared()
    if (error instanceof PathMalformed) return REFUSALS.pathMalformed()
    if (error instanceof AnswerTimedOut) return REFUSALS.timedOut(this.#limits.answerTimeoutMs)
    return REFUSALS.failed()
  }

  #refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusals: Record<string, Refusal> = {
      HPE_HEADER_OVERFLOW: REFUSALS.headersTooLarge(this.#limits.headerBytesMax),
      ERR_HTTP_REQUEST_TIMEOUT: REFUSALS.requestTooSlow(),
    }
    socket.end(rawRefusal(refusals[error.code ?? ''] ?? REFUSALS.requestMalformed()))
  }
}

class ForeignRequest extends Error {
  override readonly name = 'ForeignRequest'
}

class OtherUser extends Error {
  override readonly name = 'OtherUser'
}

class UndeclaredBody extends Error {
  override readonly name = 'UndeclaredBody'
}

/** @throws ForeignRequest, UndeclaredBody */
const assertOwn = (headers: ApiEvent['headers'], { url, body }: ReceivedRequest, ours: OwnAddress): void => {
  if (isForeign(headers, url, ours)) throw new ForeignRequest()
  if (!takesAnyBody(url) && isUndeclaredBody(headers, body.length)) throw new UndeclaredBody()
}

class AnswerTimedOut extends Error {
  override readonly name = 'AnswerTimedOut'
}

const refuse = (response: ServerResponse, refusal: Refusal, requestId: string): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  const body = refusalBody(refusal)
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-openstack-request-id': `req-${requestId}`,
  })
  response.end(body)
}

/** Reads on without keeping anything, so that the client gets to read its refusal; not for ever. */
const discard = (message: IncomingMessage): void => {
  const cut = setTimeout(() => message.socket.destroy(), DISCARD_MS)
  message.once('close', () => clearTimeout(cut))
  message.resume()
}

const listen = async (server: Server, port: number): Promise<void> => {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const message = `Port ${port} is used by another program. Stop that one, or choose another port with --port or FEDPLANE_PORT.`
    throw new PortInUse(message, { details: { port } })
  }
}

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  await closed.finally(() => clearTimeout(cut))
}

/**
 * Listens on 127.0.0.1 only.
 *
 * @throws PortInUse
 */
export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const gateway = new Gateway(options)
  const { server } = gateway
  await listen(server, options.port)
  const { port } = server.address() as AddressInfo
  gateway.port = port
  if ((await options.peerUsers?.probe(port)) === false) {
    options.log.warn('this system does not tell which user connects: without tokens every user of the machine is admin')
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    gateway.endStreams()
    closing ??= closeServer(server)
    return closing
  }
  return { port, close }
}
