import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { authorizerContextOf, type Principal } from '../../../functions/core/values/identity.ts'

export const ALICE: Principal = {
  userId: 'alice',
  projectId: 'blue',
  roles: ['admin', 'member', 'reader'],
  source: 'local',
}
/** Somebody of another project. */
export const BOB: Principal = { userId: 'bob', projectId: 'green', roles: ['member'], source: 'token-file' }
/** May only look. */
export const READER: Principal = { userId: 'rita', projectId: 'blue', roles: ['reader'], source: 'token-file' }

export type CallOptions = {
  /** Sent as JSON; a string as it is. */
  body?: unknown
  headers?: Record<string, string>
  /** Null: nobody; a string: the authorizer's reason. Default ALICE. */
  as?: Principal | string | null
}

const authorizerOf = (as: Principal | string | null): unknown => {
  if (as === null) return undefined
  return { lambda: authorizerContextOf(typeof as === 'string' ? { reason: as } : { principal: as }) }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** An event as API Gateway makes it (HTTP API, payload 2.0), with the authorizer's answer in it. */
export const eventOf = (
  method: string,
  target: string,
  { body, headers = {}, as = ALICE }: CallOptions = {},
): APIGatewayProxyEventV2 => {
  const [rawPath = '', rawQueryString = ''] = target.split('?')
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: { ...type, ...Object.fromEntries(lowerCased) },
    requestContext: {
      accountId: '0',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: '',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'r',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
      authorizer: authorizerOf(as),
    },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body: textOf(body) }),
  }
  return event
}
