import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cluster } from './cluster.ts'
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

const authenticate = (header: string | undefined, cluster: Cluster): User => {
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
    user: authenticate(message.headers.authorization, cluster),
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

/** The request listener of one simulated cluster. */
export const listenerFor =
  (cluster: Cluster) =>
  (message: IncomingMessage, response: ServerResponse): void => {
    void handle(message, cluster)
      .catch(failure)
      .then((answered) => send(answered, response))
  }
