import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

/** Lambda refuses a larger answer, bytes; API Gateway then answers 500. */
export const RESULT_BYTES_MAX = 6 * 1024 * 1024

const encodingOf = ({ isBase64Encoded }: APIGatewayProxyStructuredResultV2) => (isBase64Encoded ? 'base64' : 'utf8')

const bodyOf = (result: APIGatewayProxyStructuredResultV2): Buffer => Buffer.from(result.body ?? '', encodingOf(result))

/** Bytes of its body, without making it: a list of 1,000 items is a megabyte. */
export const bodyLength = (result: APIGatewayProxyStructuredResultV2): number =>
  Buffer.byteLength(result.body ?? '', encodingOf(result))

/** Answers with a function's structured result. */
export const writeResult = (response: ServerResponse, result: APIGatewayProxyStructuredResultV2): void => {
  const body = bodyOf(result)
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value))
  if (result.cookies && result.cookies.length > 0) response.setHeader('set-cookie', result.cookies)
  const status = Number(result.statusCode ?? 200)
  // None of these may carry this length (RFC 9110 section 8.6).
  if (status !== 204 && status !== 304 && response.req.method !== 'HEAD')
    response.setHeader('content-length', body.length)
  response.writeHead(status)
  response.end(body)
}

/** Answers with the head of a result and a body that goes on, no faster than the client reads. Returns when it is over, or the client gone. */
export const writeFrames = async (
  response: ServerResponse,
  { statusCode, headers = {} }: APIGatewayProxyStructuredResultV2,
  frames: AsyncIterable<string>,
): Promise<void> => {
  // Kept for another request, the connection would outlast the end of the server.
  response.shouldKeepAlive = false
  response.writeHead(Number(statusCode ?? 200), headers as Record<string, string>)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for await (const frame of frames) {
    if (response.destroyed) return
    if (!response.write(frame)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
  }
  response.end()
}
