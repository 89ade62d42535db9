import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'

export type Answer = { status: number; body: unknown }

const answerTo = async (message: ClientRequest): Promise<Answer> => {
  const [response] = (await once(message, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
}

/** A client of the API with connections that are kept: what it costs is what the server and the wire cost. */
export class ApiClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      'x-auth-token': this.#token,
      'openstack-api-version': 'container-infra latest',
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    for (;;) {
      const message = request(`${this.#url}${path}`, { method, headers, agent: this.#agent })
      message.end(text)
      try {
        return await answerTo(message)
      } catch (error) {
        // The server closed an idle connection in the moment in which it was taken again.
        if (!message.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
      }
    }
  }

  /** @throws when the answer is not 200 */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.send('GET', path)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`)
    return body as T
  }

  /** Creates something, and gives its uuid. @throws when the answer is neither 201 nor 202 */
  async create(path: string, body: unknown): Promise<string> {
    const answer = await this.send('POST', path, body)
    if (answer.status === 201 || answer.status === 202) return (answer.body as { uuid: string }).uuid
    throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  }

  close(): void {
    this.#agent.destroy()
  }
}
