import { createHash } from 'node:crypto'
import type { z } from 'zod'
import {
  bearerTokenOf,
  type Identify,
  identifier,
  keystoneTokenOf,
  type RequestHeaders,
} from '../../functions/authorizer/identify.ts'
import type { IdentitySettings } from '../../functions/authorizer/settings.ts'
import type { Clock, Logger } from '../../functions/core/ports.ts'
import {
  type AuthorizerContext,
  authorizerContextOf,
  type Identity,
  type Principal,
  ROLES,
} from '../../functions/core/values/identity.ts'
import { TokenFileInvalid } from './errors.ts'
import { Holder, TokenFile } from './token-file.schema.ts'
import { watchedFile } from './watched-file.ts'

const FORM = '{"<token>": {"userId": "…", "projectId": "…", "roles": ["admin" | "member" | "reader"]}}'

/** Tokens are looked up by their digest, so that the time of a lookup tells nothing about how much of a token is right. */
const digest = (token: string): string => createHash('sha256').update(token).digest('base64')

const TEXT = 'must be text of 1 to 255 characters'
/** What each field of an entry must be. */
const DEMANDS: Readonly<Record<string, string>> = {
  userId: `userId ${TEXT}`,
  projectId: `projectId ${TEXT}`,
  roles: `roles must be a list of one or more of ${ROLES.join(', ')}`,
}

/** Nothing of zod's message: a misplaced token may be a field's name or value, and it would show both. */
const requireOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_key') return 'has an empty token'
  if (issue.code === 'unrecognized_keys') return 'has a field besides userId, projectId and roles'
  return DEMANDS[String(issue.path[1])] ?? 'must be an object with userId, projectId and roles'
}

/** Who holds an entry's token, or its place in the file: its name is the token itself. */
const nameOf = (entries: readonly [string, unknown][], token: PropertyKey): string => {
  const index = entries.findIndex(([key]) => key === token)
  const holder = Holder.safeParse(entries[index]?.[1])
  return holder.success ? `the entry of user ${JSON.stringify(holder.data.userId)}` : `entry ${index + 1}`
}

const describe = (json: unknown, issues: readonly z.core.$ZodIssue[]): string => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'it is not an object of tokens'
  const entries = Object.entries(json)
  const faults = issues.map((issue) => `${nameOf(entries, issue.path[0] ?? '')}: ${requireOf(issue)}`)
  return [...new Set(faults)].join('; ')
}

const refuse = (file: string, fault: string): TokenFileInvalid =>
  new TokenFileInvalid(`The token file ${file} is refused: ${fault}. Expected ${FORM}.`)

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which holds tokens.
    throw refuse(file, 'it is not JSON')
  }
}

type Principals = ReadonlyMap<string, Principal>

const parse = (file: string, text: string): Principals => {
  const json = parseJson(file, text)
  const parsed = TokenFile.safeParse(json)
  if (!parsed.success) throw refuse(file, describe(json, parsed.error.issues))
  return new Map(
    Object.entries(parsed.data).map(([token, holder]) => [digest(token), { ...holder, source: 'token-file' as const }]),
  )
}

export type TokenLookup = (token: string) => Principal | undefined

/**
 * Looks tokens up in a file that is read again when it changes (`watchedFile`).
 *
 * @throws TokenFileInvalid when the file is bad, or not its user's alone, at the start
 */
export const openTokenFile = (file: string, log: Logger): TokenLookup => {
  const principals = watchedFile(file, {
    what: 'token file',
    setting: 'FEDPLANE_TOKENS',
    danger: 'who could give out tokens',
    invalid: (message, options) => new TokenFileInvalid(message, options),
    parse: (text) => parse(file, text),
    log,
  })
  return (token) => principals().get(digest(token))
}

/** Who everybody is without a token file and identity providers. */
export const LOCAL_PRINCIPAL: Principal = { userId: 'local', projectId: 'local', roles: ROLES, source: 'local' }

/** The authorizer by token file alone. `X-Auth-Token` goes before `Authorization`, as in Keystone's middleware. */
export const localAuthorizer = (lookUp: TokenLookup | undefined): Identify => {
  if (!lookUp) return async () => ({ principal: LOCAL_PRINCIPAL })
  return async (headers) => {
    const token = keystoneTokenOf(headers) ?? bearerTokenOf(headers)
    if (token === undefined) return { reason: 'The request has no token: send X-Auth-Token or Authorization: Bearer.' }
    const principal = lookUp(token)
    return principal ? { principal } : { reason: 'The token is not known.' }
  }
}

export type AuthorizerSettings = {
  /** Of FEDPLANE_TOKENS. */
  tokens?: TokenLookup | undefined
  identity?: IdentitySettings | undefined
}

/** Finds out who sent a request, as the gateway passes it on. */
export type Authorize = (headers: RequestHeaders) => Promise<AuthorizerContext>

/**
 * The authorizer of local mode, as HTTP APIs call it. A token in the file is known by it; what is not is left to the identity providers, if
 * there are any. With neither everybody is the local principal.
 */
export const openAuthorizer = (
  { tokens, identity }: AuthorizerSettings,
  ports: { clock: Clock; log: Logger },
): Authorize => {
  const byFile = localAuthorizer(tokens)
  if (!identity) return async (headers) => authorizerContextOf(await byFile(headers))
  const byProvider = identifier(identity, ports)
  return async (headers) => {
    const found: Identity | undefined = tokens ? await byFile(headers) : undefined
    return authorizerContextOf(found && 'principal' in found ? found : await byProvider(headers))
  }
}
