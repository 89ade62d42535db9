import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type * as z from 'zod'
import type { Json } from '../domain/json.ts'
import type { Principal } from '../domain/principal.ts'
import type { PolicyRule } from '../policy/rules.ts'
import type { Ports } from '../runtime/ports.ts'
import type { ApiSettings } from './settings.ts'

/** What every handler gets. `ports.log` adds the request id to each line. */
export type PublicRequest = {
  ports: Ports
  settings: ApiSettings
  /** Without a trailing slash; links begin with it. */
  baseUrl: string
  /** Minor version in effect, 1 to 14. */
  minor: number
  headers: APIGatewayProxyEventV2['headers']
}

/** A request of somebody. Everything that it reads and writes is under `principal.projectId`. */
export type ApiRequest<Q = unknown, B = unknown> = PublicRequest & {
  principal: Principal
  /** The route's rule: asked of the caller already, and again where the object is found. */
  rule: PolicyRule
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Q
  body: B
}

/** `body` is serialised as JSON; `text` goes out as it is, as JSON unless `headers` say otherwise. */
export type ApiResponse = {
  status: number
  headers?: Readonly<Record<string, string>>
  body?: unknown
  text?: string
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** How a body is read: the schema for documentation, and the parser that names every fault. */
export type BodySchema<B> = {
  schema: z.ZodType
  /** Bytes; more is 413. */
  bytesMax: number
  /** `body` is undefined when there is none. @throws InvalidRequest */
  parse(body: Json | undefined): B
}

type RouteBase = {
  method: Method
  /** Full path with `{parameter}` segments, without a trailing slash. */
  path: string
  /** One line for the API's documentation. */
  summary?: string
  /** What it answers when all is well, by status; null: no body. For documentation. */
  answers?: Readonly<Record<number, z.ZodType | null>>
}

/** Answers without asking who calls. */
export type PublicRoute = RouteBase & {
  access: 'none'
  handle(request: PublicRequest): Promise<ApiResponse>
}

type PrincipalRouteBase<Q, B> = RouteBase & {
  /** Which function serves it: `keys` may seal and read secrets, `table` may not. */
  access: 'table' | 'keys'
  /** Policy rule asked before anything else (magnum-rest.md 9.4). */
  rule: PolicyRule
  /** Lowest minor version that has the method; below it the answer is 406. */
  minVersion?: number
  handle(request: ApiRequest<Q, B>): Promise<ApiResponse>
}

export type PrincipalRoute = PrincipalRouteBase<unknown, unknown> & {
  schemas: { query: z.ZodObject; body?: BodySchema<unknown> }
}

export type Route = PublicRoute | PrincipalRoute

/** Writes a route down with its handler's types checked against its schemas. */
export const route = <Q extends z.ZodObject, B = undefined>(
  definition: PrincipalRouteBase<z.output<Q>, B> & { schemas: { query: Q; body?: BodySchema<B> } },
): PrincipalRoute => ({
  ...definition,
  // The dispatcher calls it with what exactly these schemas gave.
  handle: (request) => definition.handle(request as ApiRequest<z.output<Q>, B>),
})
