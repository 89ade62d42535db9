import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyOf, type Loopback, sendJson, startLoopback } from '../authorizer/loopback.ts'

const REFUSED = 'InvalidParameterValueException'

/** Stands in for Lambda's API of concurrency, with the rule that 100 executions stay unreserved. */
export class LambdaStandIn {
  /** What functions have reserved, by name. */
  readonly reserved = new Map<string, number>()
  /** Changes that were asked for. */
  readonly changes: string[] = []
  /** Of the whole account. */
  limit = 1000
  /** Status of every answer in place of the right one. */
  trouble: number | undefined
  #server: Loopback | undefined

  async start(): Promise<void> {
    this.#server = await startLoopback((message, response) => this.#answer(message, response))
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  get #unreserved(): number {
    return [...this.reserved.values()].reduce((left, number) => left - number, this.limit)
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(message)
    if (this.trouble !== undefined) return sendJson(response, this.trouble, { message: 'told to refuse' })
    const name = /\/functions\/([^/]+)\/concurrency$/.exec(message.url ?? '')?.[1]
    if (name === undefined) {
      const AccountLimit = { ConcurrentExecutions: this.limit, UnreservedConcurrentExecutions: this.#unreserved }
      return sendJson(response, 200, { AccountLimit })
    }
    if (message.method === 'GET') {
      const number = this.reserved.get(name)
      return sendJson(response, 200, number === undefined ? {} : { ReservedConcurrentExecutions: number })
    }
    this.#change(name, message.method === 'PUT' ? JSON.parse(body).ReservedConcurrentExecutions : undefined, response)
  }

  #change(name: string, number: number | undefined, response: ServerResponse): void {
    this.changes.push(`${name} ${number ?? 'released'}`)
    if (number === undefined) {
      this.reserved.delete(name)
      response.writeHead(204).end()
      return
    }
    const left = this.#unreserved + (this.reserved.get(name) ?? 0) - number
    if (left >= 100) this.reserved.set(name, number)
    const headers = left >= 100 ? {} : { 'x-amzn-errortype': REFUSED }
    sendJson(response, left >= 100 ? 200 : 400, { ReservedConcurrentExecutions: number }, headers)
  }
}
