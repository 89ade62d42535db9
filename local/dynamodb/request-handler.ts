import { randomUUID } from 'node:crypto'
import { DynamoError } from './dynamo-error.ts'
import { OPERATIONS } from './operations/operations.ts'
import { unknownOperation } from './operations/reads.ts'
import type { RequestQueue } from './request-queue.ts'

type HttpRequest = { headers: Readonly<Record<string, string>>; body?: unknown }

type HttpResponse = { statusCode: number; headers: Record<string, string>; body: Uint8Array }

/** What clients of the SDK send their requests through in place of a connection. */
export type RequestHandler = {
  metadata: { handlerProtocol: string }
  handle(request: HttpRequest): Promise<{ response: HttpResponse }>
  updateHttpClientConfig(): void
  httpHandlerConfigs(): Record<string, never>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Where names of errors come from, as the SDK reads them. */
const typeOf = (name: string): string =>
  name === 'ValidationException' ? `com.amazon.coral.validate#${name}` : `com.amazonaws.dynamodb.v20120810#${name}`

const statusOf = (name: string): number => (name === 'InternalServerError' ? 500 : 400)

const respond = (statusCode: number, json: string): { response: HttpResponse } => {
  const body = encoder.encode(json)
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(body.length),
    'x-amzn-requestid': randomUUID(),
  }
  return { response: { statusCode, headers, body } }
}

const refuse = ({ name, message, members }: DynamoError) =>
  respond(statusOf(name), JSON.stringify({ __type: typeOf(name), message, ...members }))

/** The JSON of a request; streams are nothing that these clients send. */
const readBody = (body: unknown): unknown => {
  if (typeof body === 'string') return JSON.parse(body)
  if (body instanceof Uint8Array) return JSON.parse(decoder.decode(body))
  throw new DynamoError('SerializationException', 'A request of the embedded database is JSON text.')
}

const operationOf = ({ headers }: HttpRequest) => {
  const target = headers['x-amz-target'] ?? ''
  const operation = OPERATIONS.get(target)
  if (operation === undefined) throw unknownOperation(target)
  return operation
}

/** DynamoDB for clients of this process: no port, and nobody else reaches it. */
export const requestHandler = (queue: RequestQueue): RequestHandler => ({
  metadata: { handlerProtocol: 'in-process' },
  handle: async (request) => {
    try {
      return respond(200, await queue.run(operationOf(request), readBody(request.body)))
    } catch (error) {
      if (error instanceof DynamoError) return refuse(error)
      throw error
    }
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
})
