import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { PodPort } from './client.ts'
import { ConnectFailed } from './errors.ts'
import { type Asked, describeAsked, networkError, type Trust } from './network-errors.ts'

/** First byte of each message of `v4.channel.k8s.io`; for port n of the request they are 2n and 2n + 1. */
const DATA_CHANNEL = 0
const ERROR_CHANNEL = 1
/** The first bytes of each channel are the port's number, little endian. */
const PORT_BYTES = 2
/** Longest text of a kubelet that goes into a message, characters. Its end is kept: the cause comes last. */
const MAX_TEXT = 200

export type PodPortContext = { asked: Asked; pod: PodPort; trust: Trust }

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
export const podPortStream = (webSocket: WebSocket, context: PodPortContext): Duplex => {
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
