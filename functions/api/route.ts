import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type * as z from 'zod'
import type { Ports, TablePorts } from '../core/ports.ts'
import type { Principal } from '../core/values/identity.ts'
import type { Json } from '../core/values/json.ts'
import type { PolicyRule } from '../policy/rules.ts'
import type { ApiSettings } from './settings.ts'

/** What every handler gets. `ports.log` adds the request id to each line. */
export type PublicRequest<P extends TablePorts = TablePorts> = {
  ports: P
  settings: ApiSettings
  /** Without a trailing slash; links begin with it. */
  baseUrl: string
  /** Minor version in effect, 1 to 14. */
  minor: number
  headers: APIGatewayProxyEventV2['headers']
  /** HEAD: the caller gets the headers only, and nothing may come of it. */
  isHead?: boolean
}

/** A request to a public route, which checks for itself what it is given. */
export type PublicRouteRequest = PublicRequest & {
  params: Readonly<Record<string, string>>
  /** Not parsed. */
  rawQuery: string
  bodyBytes: number
}

/** A request of somebody. Everything that it reads and writes is under `principal.projectId`. */
export type ApiRequest<Q = unknown, B = unknown, P extends TablePorts = TablePorts> = PublicRequest<P> & {
  principal: Principal
  /** The route's rule: asked of the caller already, and again where the object is found. */
  rule: PolicyRule
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Q
  body: B
}

/** A request to a route with `access: 'keys'`, whose function has whole drivers and a way into clusters. */
export type KeysRequest<Q = unknown, B = unknown> = ApiRequest<Q, B, Ports>

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
  /** One sentence for the API's documentation. What it answers is in `openapi/document.ts`. */
  summary: string
}

/** Answers without asking who calls. */
export type PublicRoute = RouteBase & {
  access: 'none'
  /** What it takes, for documentation. */
  query?: z.ZodObject
  handle: (request: PublicRouteRequest) => Promise<ApiResponse>
}

/** Which function serves a route: `keys` may seal and read secrets, `table` may not. */
type Access = 'table' | 'keys'

type PrincipalRouteBase = RouteBase & {
  access: Access
  /** Policy rule asked before anything else (magnum-rest.md 9.4). */
  rule: PolicyRule
  /** Lowest minor version that has the method; below it the answer is 406. */
  minVersion?: number
  /** Media types that it can answer with besides JSON. */
  media?: readonly string[]
  /** Reads `Idempotency-Key`. For documentation. */
  idempotent?: true
}

// Handlers are properties, not methods: methods would pass with a request that has more than they are given.
export type PrincipalRoute<P extends TablePorts = Ports> = PrincipalRouteBase & {
  schemas: { query: z.ZodObject; body?: BodySchema<unknown> }
  handle: (request: ApiRequest<unknown, unknown, P>) => Promise<ApiResponse>
}

/** A route for a function that has `P`. */
export type Route<P extends TablePorts = Ports> = PublicRoute | PrincipalRoute<P>

/** A route that the table function can serve too. */
export type TableRoute = Route<TablePorts>

type PortsFor<A extends Access> = A extends 'keys' ? Ports : TablePorts

/** Writes a route down with its handler's types checked against its schemas and its access. */
export const route = <A extends Access, Q extends z.ZodObject, B = undefined>(
  definition: PrincipalRouteBase & {
    access: A
    schemas: { query: Q; body?: BodySchema<B> }
    handle: (request: ApiRequest<z.output<Q>, B, PortsFor<A>>) => Promise<ApiResponse>
  },
): PrincipalRoute<PortsFor<A>> => ({
  ...definition,
  // The dispatcher calls it with what exactly these schemas gave.
  handle: (request) => definition.handle(request as ApiRequest<z.output<Q>, B, PortsFor<A>>),
})
