import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Cluster } from './cluster.ts'
import { forwardPorts } from './port-forward.ts'
import { answer } from './routes.ts'
import { StatusError, unauthorized } from './status.ts'
import { ANONYMOUS } from './tokens.ts'
import type { ApiRequest, ApiResponse, User } from './types.ts'

/** Largest request body, as the real server's default. */
const BODY_BYTES_MAX = 3 * 1024 * 1024

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) {
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_BYTES_MAX}`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Text or list of one kind of name in a certificate's subject. */
const namesOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat())

/** Read once for each connection: it takes as long as a whole request. */
const certified = new WeakMap<TLSSocket, User | 'none' | 'unknown'>()

const readCertificate = (socket: TLSSocket): User | 'none' | 'unknown' => {
  const { subject } = socket.getPeerCertificate()
  if (subject === undefined) return 'none'
  if (!socket.authorized) return 'unknown'
  const [username = ''] = namesOf(subject.CN)
  return { username, uid: '', groups: [...namesOf(subject.O), 'system:authenticated'], extra: {} }
}

/** Who a client certificate of our authority says that is, as in Kubernetes: CN the user, each O a group. */
const certificateUser = (socket: TLSSocket): User | undefined => {
  const user = certified.get(socket) ?? readCertificate(socket)
  certified.set(socket, user)
  if (user === 'unknown') throw unauthorized()
  return user === 'none' ? undefined : user
}

const authenticate = (message: IncomingMessage, cluster: Cluster): User => {
  const { authorization: header } = message.headers
  const holder = certificateUser(message.socket as TLSSocket)
  if (holder !== undefined) return holder
  if (header === undefined) return ANONYMOUS
  const user = /^Bearer /i.test(header) ? cluster.tokens.authenticate(header.slice('Bearer '.length).trim()) : undefined
  if (user === undefined) throw unauthorized()
  return user
}

const handle = async (message: IncomingMessage, cluster: Cluster): Promise<ApiResponse> => {
  const url = new URL(message.url ?? '/', 'https://simulated')
  const body = await readBody(message)
  const request: ApiRequest = {
    method: message.method ?? 'GET',
    path: url.pathname.length > 1 ? url.pathname.replace(/\/$/, '') : url.pathname,
    query: url.searchParams,
    contentType: message.headers['content-type'] ?? '',
    userAgent: message.headers['user-agent'] ?? '',
    body,
    user: authenticate(message, cluster),
  }
  return answer(request, cluster)
}

const failure = (error: unknown): ApiResponse => {
  const status =
    error instanceof StatusError
      ? error
      : new StatusError(
          500,
          'InternalError',
          `Internal error occurred in the simulated Kubernetes API: ${String(error)}`,
        )
  return { status: status.code, body: status.toStatus() }
}

const send = ({ status, body }: ApiResponse, response: ServerResponse): void => {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' })
  response.end(isText ? body : `${JSON.stringify(body)}\n`)
}

const listenerFor =
  (cluster: Cluster) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    void handle(message, cluster)
      .catch(failure)
      .then((answered) => send(answered, response))
  }

/** Where and as whom a cluster's API is served. */
export type Serving = {
  /** Default 127.0.0.1. */
  address?: string
  /** 0: a free one. */
  port: number
  certificatePem: string
  keyPem: string
  /** Authority of client certificates; absent: none is asked for. */
  clientCaPem?: string
  /** Oldest TLS that is spoken. Default: Node's. */
  minVersion?: 'TLSv1.3'
}

const listen = (server: Server, { address = '127.0.0.1', port }: Serving): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    server.closeAllConnections()
  })

/** Serves a cluster's API until closed; several at a time may serve the same. */
export const serve = async (cluster: Cluster, serving: Serving): Promise<{ port: number; close(): Promise<void> }> => {
  const { certificatePem, keyPem, clientCaPem, minVersion } = serving
  const clients = clientCaPem === undefined ? {} : { ca: clientCaPem, requestCert: true, rejectUnauthorized: false }
  const options = { cert: certificatePem, key: keyPem, ...clients, ...(minVersion === undefined ? {} : { minVersion }) }
  const server = createServer(options, listenerFor(cluster))
  const forwarding = forwardPorts(server, cluster, (message) => authenticate(message, cluster))
  return {
    port: await listen(server, serving),
    close: () => {
      forwarding.close()
      return close(server)
    },
  }
}
