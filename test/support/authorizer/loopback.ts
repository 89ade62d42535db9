import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Loopback = {
  /** `http://127.0.0.1:<port>` */
  url: string
  close(): Promise<void>
}

export const bodyOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** A right answer. */
export type Answer = { status: number; body: object; headers?: Record<string, string> }

export const sendAnswer = (response: ServerResponse, { status, body, headers }: Answer): void =>
  sendJson(response, status, body, headers)

export const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** How a server can fail: answers that are none. `down` cuts the connection. */
export const TROUBLES = ['down', 'error', 'hang', 'stall', 'huge', 'redirect', 'garbage', 'other'] as const
export type Trouble = (typeof TROUBLES)[number]

/** Larger than any answer that is taken. */
const HUGE = 2 * 1024 * 1024

/** @param elsewhere URL that a redirect leads to */
export const makeTrouble = (trouble: Trouble, response: ServerResponse, right: Answer, elsewhere: string): void => {
  const troubles: Record<Trouble, () => void> = {
    down: () => void response.destroy(),
    error: () => sendJson(response, 503, { error: { code: 503 } }),
    hang: () => undefined,
    stall: () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"token":')
    },
    huge: () => sendJson(response, right.status, { ...right.body, filler: 'x'.repeat(HUGE) }, right.headers),
    redirect: () => {
      response.writeHead(302, { location: elsewhere })
      response.end()
    },
    garbage: () => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<html>')
    },
    other: () => sendJson(response, 200, { token: {}, keys: 'none' }),
  }
  troubles[trouble]()
}

/** A server on a free port of 127.0.0.1. */
export const startLoopback = async (
  answer: (message: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Loopback> => {
  const server = createServer((message, response) => {
    answer(message, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
