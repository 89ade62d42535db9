import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithLambdaAuthorizer } from 'aws-lambda'

/** A request that has been received whole. */
export type ReceivedRequest = {
  method: string
  /** The request target as sent: path and query. */
  url: string
  /** Name and value alternating, as in `IncomingMessage.rawHeaders`. */
  rawHeaders: readonly string[]
  body: Buffer
  sourceIp: string
  /** For example `1.1`. */
  httpVersion: string
}

export type RequestFacts = {
  requestId: string
  receivedAt: Date
  /** `127.0.0.1:9511`: the Host that the request was sent to, as far as it says. */
  domainName: string
}

export type ApiEvent = APIGatewayProxyEventV2WithLambdaAuthorizer<Record<string, unknown>>

/** The path holds an escape that is none; API Gateway answers 400 itself. */
export class PathMalformed extends Error {
  override readonly name = 'PathMalformed'
}

/** Content types whose body arrives as text; all others, and none, arrive as base64 (seen on AWS: ministackorg/ministack#766). */
const TEXT_TYPE = /^(?:text\/.+|application\/(?:json|xml|javascript))$/

type Headers = { headers: Record<string, string>; cookies: string[] }

/** Names in lower case, repeated ones joined by a comma, cookies apart: payload format 2.0. */
const convertHeaders = (rawHeaders: readonly string[]): Headers => {
  const headers: Record<string, string> = Object.create(null)
  const cookies: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase()
    const value = String(rawHeaders[index + 1])
    if (name === 'cookie') cookies.push(...value.split(/;\s*/))
    else headers[name] = name in headers ? `${headers[name]},${value}` : value
  }
  return { headers: { ...headers }, cookies }
}

const convertQuery = (rawQuery: string): Record<string, string> | undefined => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return values.size === 0 ? undefined : Object.fromEntries(values)
}

/** HTTP APIs hand the path on with its escapes decoded, REST APIs do not (seen on AWS: middleapi/standard-server#93). */
const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch (cause) {
    throw new PathMalformed('The path holds a broken percent escape.', { cause })
  }
}

/** Path and query of a request target, in origin form or absolute form. */
const splitTarget = (url: string): { path: string; query: string } => {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  if (mark < 0) return { path: target || '/', query: '' }
  return { path: target.slice(0, mark) || '/', query: target.slice(mark + 1) }
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)

const convertBody = (
  body: Buffer,
  contentType: string | undefined,
): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> => {
  if (body.length === 0) return { isBase64Encoded: false }
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const text = TEXT_TYPE.test(mediaType) && isUtf8(body)
  return { body: body.toString(text ? 'utf8' : 'base64'), isBase64Encoded: !text }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `27/Nov/2026:23:44:59 +0000`. */
const commonLogTime = (date: Date): string => {
  const [day = '', time = ''] = date.toISOString().split('T')
  const [year, , dayOfMonth] = day.split('-')
  return `${dayOfMonth}/${MONTHS[date.getUTCMonth()]}/${year}:${time.slice(0, 8)} +0000`
}

/**
 * The event that an HTTP API with stage `$default` and payload format 2.0 gives its Lambda function for this request.
 *
 * @throws PathMalformed
 */
export const toApiEvent = (
  request: ReceivedRequest,
  facts: RequestFacts,
  authorizerContext: Record<string, unknown>,
): ApiEvent => {
  const { path, query } = splitTarget(request.url)
  const { headers, cookies } = convertHeaders(request.rawHeaders)
  const queryStringParameters = convertQuery(query)
  const rawPath = decodePath(path)
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(queryStringParameters ? { queryStringParameters } : {}),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: { lambda: authorizerContext },
      domainName: facts.domainName,
      domainPrefix: facts.domainName.split('.')[0] ?? '',
      http: {
        method: request.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: facts.requestId,
      routeKey: '$default',
      stage: '$default',
      time: commonLogTime(facts.receivedAt),
      timeEpoch: facts.receivedAt.getTime(),
    },
    ...convertBody(request.body, headers['content-type']),
  }
}

/** What `toApiEvent` needs of a request of node:http. */
export const receivedRequest = (message: IncomingMessage, body: Buffer): ReceivedRequest => ({
  method: message.method ?? 'GET',
  url: message.url ?? '/',
  rawHeaders: message.rawHeaders,
  body,
  sourceIp: message.socket.remoteAddress ?? '',
  httpVersion: message.httpVersion,
})
