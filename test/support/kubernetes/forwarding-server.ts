import type { IncomingMessage } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Issued } from './tls.ts'

const SUBPROTOCOL = 'v4.channel.k8s.io'

export type SeenUpgrade = { url: string; headers: IncomingMessage['headers'] }

export type ForwardingServer = {
  port: number
  seen: SeenUpgrade[]
  /** WebSockets that are open now. */
  open: Set<WebSocket>
  close(): Promise<void>
}

/** What becomes of one upgrade: a port of 127.0.0.1 that stands for the pod's, an error that the kubelet tells, or an answer. */
export type Fate =
  | { to: number }
  | { error: string }
  | { answer: [status: number, body: unknown] }
  /** Never answers. */
  | 'silent'
  | ((webSocket: WebSocket) => void)

const channel = (number: number, payload: Buffer | string): Buffer =>
  Buffer.concat([Buffer.of(number), typeof payload === 'string' ? Buffer.from(payload) : payload])

const portNumber = (port: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(port)
  return bytes
}

/** Data goes both ways, as a kubelet does it: the port's number first on both channels. */
const relay = (webSocket: WebSocket, asked: number, to: number): void => {
  const pod = connect(to, '127.0.0.1')
  webSocket.send(channel(0, portNumber(asked)))
  webSocket.send(channel(1, portNumber(asked)))
  pod.on('data', (chunk) => webSocket.send(channel(0, chunk)))
  pod.on('close', () => webSocket.close())
  pod.on('error', ({ message }) => webSocket.send(channel(1, `error forwarding port: ${message}`)))
  webSocket.on('message', (message: Buffer) => pod.write(message.subarray(1)))
  webSocket.on('close', () => pod.destroy())
}

const serveOpen = (webSocket: WebSocket, asked: number, fate: Exclude<Fate, 'silent' | { answer: unknown }>): void => {
  if (typeof fate === 'function') fate(webSocket)
  else if ('to' in fate) relay(webSocket, asked, fate.to)
  else {
    webSocket.send(channel(0, portNumber(asked)))
    webSocket.send(channel(1, portNumber(asked)))
    webSocket.send(channel(1, fate.error))
    webSocket.close()
  }
}

const refuse = (socket: Duplex, [status, body]: [number, unknown]): void => {
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
}

/** An API server that can forward ports and nothing else: TLS and WebSocket as the real one, on a free port of 127.0.0.1. */
export const startForwardingServer = async (
  issued: Issued,
  fateOf: (request: SeenUpgrade) => Fate,
  options: ServerOptions = {},
): Promise<ForwardingServer> => {
  const seen: SeenUpgrade[] = []
  const open = new Set<WebSocket>()
  const sockets = new Set<Socket>()
  const server = createServer({ cert: issued.certificatePem, key: issued.keyPem, ...options })
  const upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL })
  server.on('upgrade', (request, socket, head) => {
    const one = { url: request.url ?? '', headers: request.headers }
    seen.push(one)
    const fate = fateOf(one)
    if (fate === 'silent') return
    if (typeof fate === 'object' && 'answer' in fate) return refuse(socket, fate.answer)
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      open.add(webSocket)
      webSocket.on('close', () => open.delete(webSocket))
      const asked = Number(new URL(one.url, 'https://none').searchParams.get('ports'))
      serveOpen(webSocket, asked, fate)
    })
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    open,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
