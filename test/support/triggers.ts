import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a receiver got. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: string }

type Behave = (response: ServerResponse, request: IncomingMessage) => void
const OK: Behave = (response) => response.writeHead(204).end()

/** A receiver of webhooks on loopback, which behaves as a test says. */
export class Receiver {
  readonly got: Received[] = []
  behave: Behave = OK
  /** Called after each message. */
  onMessage: () => void = () => undefined
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  /** Those who wait for an answer get none. */
  dropConnections(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    this.got.push({ path: request.url ?? '', headers: request.headers, body })
    this.behave(response, request)
    this.onMessage()
  }
}
