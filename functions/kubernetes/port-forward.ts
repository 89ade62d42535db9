import type { IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import type { WebSocket, WebSocket as WebSocketClient } from 'ws'
import { AppError } from '../core/values/app-error.ts'
import { hostOf } from './address-guard.ts'
import { readBody } from './answer-body.ts'
import { ANSWER_BOUNDS } from './bounds.ts'
import type { PodPort } from './client.ts'
import { tlsOver } from './dialled-agent.ts'
import { ConnectFailed } from './errors.ts'
import {
  type Asked,
  connectTimedOut,
  describeAsked,
  networkError,
  requestTimedOut,
  type Trust,
} from './network-errors.ts'
import { resourcePath } from './resources.ts'
import {
  addressesOf,
  type Forwarded,
  type ForwardPort,
  pathBelow,
  pinnedTo,
  portOf,
  type Target,
  timeout,
} from './target.ts'

/** First byte of each message of `v4.channel.k8s.io`; for port n of the request they are 2n and 2n + 1. */
const DATA_CHANNEL = 0
const ERROR_CHANNEL = 1
/** The first bytes of each channel are the port's number, little endian. */
const PORT_BYTES = 2
/** Longest text of a kubelet that goes into a message, characters. Its end is kept: the cause comes last. */
const MAX_TEXT = 200

type PodPortContext = { asked: Asked; pod: PodPort; trust: Trust }

/** What comes over a channel, without the port's number at its beginning, which may come in parts. */
const withoutPort = (): ((payload: Buffer) => Buffer) => {
  let left = PORT_BYTES
  return (payload) => {
    const skipped = Math.min(left, payload.length)
    left -= skipped
    return payload.subarray(skipped)
  }
}

/** The kubelet's words: the container is gone, nothing listens on the port, no such network namespace. */
const refused = ({ asked, pod }: PodPortContext, text: string): ConnectFailed => {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  const cut = line.length > MAX_TEXT ? `…${line.slice(1 - MAX_TEXT)}` : line
  return new ConnectFailed(
    `${describeAsked(asked)} can't reach port ${pod.port} of the pod: ${cut.replace(/\.$/, '')}; check that its container runs and listens.`,
    { details: { ...asked, port: pod.port } },
  )
}

/**
 * The bytes of one port over an open WebSocket. An end from either side ends both, since v4 has no half-closed streams. Fails with
 * ConnectFailed for what the kubelet says on the error channel.
 */
const podPortStream = (webSocket: WebSocket, context: PodPortContext): Duplex => {
  const channels = [withoutPort(), withoutPort()]
  const stream = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Buffer, _encoding, callback) => {
      webSocket.send(Buffer.concat([Buffer.of(DATA_CHANNEL), chunk]), callback)
    },
    final: (callback) => {
      webSocket.close()
      callback()
    },
    destroy: (error, callback) => {
      webSocket.terminate()
      callback(error)
    },
  })
  webSocket.on('message', (message: Buffer) => {
    const channel = message[0] ?? DATA_CHANNEL
    const payload = channels[channel]?.(message.subarray(1))
    if (payload === undefined || payload.length === 0) return
    if (channel === ERROR_CHANNEL) stream.destroy(refused(context, payload.toString('utf8')))
    else if (!stream.push(payload)) webSocket.pause()
  })
  webSocket.on('error', (error) => stream.destroy(networkError(context.asked, error, context.trust)))
  webSocket.once('close', () => {
    stream.push(null)
    stream.end()
  })
  return stream
}

/** What kubelets speak over WebSocket: binary messages whose first byte is the channel. */
const SUBPROTOCOL = 'v4.channel.k8s.io'
/** Largest message of the API server, bytes; kubelets send 32 KiB. */
const MAX_MESSAGE_BYTES = 1024 * 1024

/**
 * `pods/portforward` over WebSocket, on a TLS connection made as all others to this API server (docs/decisions/0014). The WebSocket client is read at
 * the first use (docs/decisions/0011).
 */
export const forwardPort: ForwardPort = async (target, pod) => {
  const path = resourcePath(
    { group: '', version: 'v1', plural: 'pods', namespace: pod.namespace },
    pod.pod,
    'portforward',
  )
  const asked: Asked = { method: 'GET', path, host: target.url.host }
  const deadline = Date.now() + target.limits.totalMilliseconds
  const { WebSocket } = await import('ws')
  const socket = await connected(target, asked)
  const milliseconds = Math.max(0, deadline - Date.now())
  return upgraded(target, { asked, pod, socket, milliseconds, WebSocket })
}

/** A TLS connection to the API server. @throws the errors of `errors.ts` */
const connected = async (target: Target, asked: Asked): Promise<TLSSocket> => {
  const { url, tls, dial, limits, trust } = target
  const addresses = await addressesOf(target, asked)
  return new Promise((resolve, reject) => {
    const socket =
      dial === undefined
        ? connect({ ...tls, host: hostOf(url), port: portOf(url), lookup: pinnedTo(addresses) })
        : tlsOver(dial, tls)
    const fail = (error: unknown): void => {
      stop()
      socket.destroy()
      reject(error instanceof AppError ? error : networkError(asked, error, trust))
    }
    const stop = timeout(limits.connectMilliseconds, () => fail(connectTimedOut(asked, limits.connectMilliseconds)))
    // Stays: an error after the connection was given on belongs to the WebSocket, which hears it too.
    socket.on('error', fail)
    socket.once('secureConnect', () => {
      stop()
      resolve(socket)
    })
  })
}

type Upgrade = {
  asked: Asked
  pod: PodPort
  socket: TLSSocket
  milliseconds: number
  WebSocket: typeof WebSocketClient
}

const upgraded = (target: Target, { asked, pod, socket, milliseconds, WebSocket }: Upgrade): Promise<Forwarded> => {
  const { url, authorization, limits, trust } = target
  const secure = new URL(`wss://${url.host}${pathBelow(url, asked.path)}?ports=${pod.port}`)
  const webSocket = new WebSocket(secure, [SUBPROTOCOL], {
    createConnection: () => socket,
    headers: { 'user-agent': 'fedplane', ...(authorization === undefined ? {} : { authorization }) },
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      reject(error instanceof AppError ? error : networkError(asked, error, trust))
      socket.destroy()
    }
    const timer = setTimeout(() => fail(requestTimedOut(asked, limits.totalMilliseconds)), milliseconds)
    // Stays, as after a failure others may follow.
    webSocket.on('error', fail)
    webSocket.once('unexpected-response', (_request, answer) => {
      answerOf(answer, asked, ANSWER_BOUNDS.failure.bytes).then((refused) => {
        clearTimeout(timer)
        resolve({ answer: refused })
        socket.destroy()
      }, fail)
    })
    webSocket.once('open', () => {
      clearTimeout(timer)
      resolve({ stream: podPortStream(webSocket, { asked, pod, trust }) })
    })
  })
}

const answerOf = async (answer: IncomingMessage, asked: Asked, maxBytes: number) => ({
  status: answer.statusCode ?? 0,
  headers: answer.headers,
  body: await readBody(answer, { asked, maxBytes }),
  asked,
})
