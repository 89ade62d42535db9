import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:https'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Cluster } from './cluster.ts'
import { PODS } from './controllers/pods.ts'
import { forbidden, notFound, StatusError } from './status.ts'
import type { ApiObject, User } from './types.ts'

/** What kubelets speak over WebSocket: binary messages whose first byte is the channel, 0 data and 1 error. */
const SUBPROTOCOL = 'v4.channel.k8s.io'
const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/portforward$/

const channel = (number: number, payload: Buffer): Buffer => Buffer.concat([Buffer.of(number), payload])

const portBytes = (port: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(port)
  return bytes
}

/** As a kubelet: the port's number first on both channels, then data in both directions; words on the error channel when nothing listens. */
const relay = (webSocket: WebSocket, port: number, target: number | undefined): void => {
  for (const number of [0, 1]) webSocket.send(channel(number, portBytes(port)))
  const fail = (message: string): void => {
    webSocket.send(channel(1, Buffer.from(`error forwarding port ${port} to pod: ${message}`)))
    webSocket.close()
  }
  if (target === undefined) {
    fail('connect: connection refused')
    return
  }
  const socket = connect(target, '127.0.0.1')
  socket.on('data', (chunk) => webSocket.send(channel(0, chunk)))
  socket.on('error', ({ message }) => fail(message))
  socket.on('close', () => webSocket.close())
  webSocket.on('message', (message: Buffer) => socket.write(message.subarray(1)))
  webSocket.on('close', () => socket.destroy())
  webSocket.on('error', () => socket.destroy())
}

type Request = { pod: ApiObject; port: number }

/** @throws StatusError 401, 403, 404 */
const requestOf = (message: IncomingMessage, cluster: Cluster, user: User): Request => {
  const url = new URL(message.url ?? '/', 'https://simulated')
  const [, namespace = '', name = ''] = PATH.exec(url.pathname) ?? []
  const attributes = { verb: 'get', resource: 'pods', subresource: 'portforward', namespace, name }
  if (cluster.rbac.allows(user, attributes) === undefined) {
    throw forbidden(
      { name, kind: 'pods' },
      `pods "${name}" is forbidden: User "${user.username}" cannot get pods/portforward`,
    )
  }
  const pod = cluster.store.get(PODS, name, namespace)?.object
  if (pod === undefined) throw notFound({ ...PODS, kind: 'Pod' }, name)
  return { pod, port: Number(url.searchParams.get('ports')) }
}

const refuse = (socket: Duplex, error: unknown): void => {
  const status = error instanceof StatusError ? error : new StatusError(500, 'InternalError', String(error))
  const body = JSON.stringify(status.toStatus())
  socket.end(
    `HTTP/1.1 ${status.code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** Serves `pods/portforward` over WebSocket: to the port of 127.0.0.1 that the cluster's behaviour names for a pod's. */
export const forwardPorts = (
  server: Server,
  cluster: Cluster,
  authenticate: (message: IncomingMessage) => User,
): { close(): void } => {
  const upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL })
  server.on('upgrade', (message, socket, head) => {
    try {
      const { pod, port } = requestOf(message, cluster, authenticate(message))
      upgrades.handleUpgrade(message, socket, head, (webSocket) =>
        relay(webSocket, port, cluster.behaviour.podPort(pod, port)),
      )
    } catch (error) {
      refuse(socket, error)
    }
  })
  return {
    close: () => {
      for (const client of upgrades.clients) client.terminate()
    },
  }
}
