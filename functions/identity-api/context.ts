import type { Logger } from '../core/ports.ts'
import type { Identity } from '../core/values/identity.ts'
import type { Session, TokenAuthority } from '../identity/session.ts'

/** What the facade uses from outside. */
export type IdentityPorts = TokenAuthority & {
  log: Logger
  /** Base URL of a request, for links and catalog: without `/v1` and without a slash at its end. */
  baseUrl(headers: Headers): string
  /** Checks a JWT of the OIDC issuer; absent where none is configured. @throws IdentityProviderUnavailable */
  oidc?: ((token: string) => Promise<Identity>) | undefined
}

/** Names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>

/** One request, parsed as far as every route needs it. */
export type IdentityRequest = {
  ports: IdentityPorts
  baseUrl: string
  headers: Headers
  query: URLSearchParams
  params: Readonly<Record<string, string>>
  /** Address that it came from. */
  sourceIp: string
  /** The body as JSON. @throws IdentityRefusal */
  json(): unknown
  /** Of `X-Auth-Token`. @throws IdentityRefusal (401) */
  session(): Promise<Session>
}

export type IdentityAnswer = { status: number; headers?: Readonly<Record<string, string>>; body?: unknown }
