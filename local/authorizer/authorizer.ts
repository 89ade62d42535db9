import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import process from 'node:process'
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

const OTHERS = 0o077

/** Whoever can read the file has its tokens, and whoever can write it gives them out. @throws TokenFileInvalid */
const assertPrivate = (file: string, { mode, uid }: { mode: number; uid: number }): void => {
  // Where there are no users there are no modes.
  const user = process.getuid?.()
  if (user === undefined) return
  if (uid !== user) {
    throw new TokenFileInvalid(
      `The token file ${file} belongs to another user (uid ${uid}), who could give out tokens. Run chown ${user} on it, or a copy of it.`,
    )
  }
  if ((mode & OTHERS) === 0) return
  throw new TokenFileInvalid(
    `The token file ${file} is open to other users (mode ${(mode & 0o777).toString(8)}). Run chmod 600 on it.`,
  )
}

/** Owner, mode and text are of one and the same open file. */
const readPrivate = (file: string): string => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    assertPrivate(file, fstatSync(descriptor))
    return readFileSync(descriptor, 'utf8')
  } catch (cause) {
    if (cause instanceof TokenFileInvalid) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new TokenFileInvalid(`The token file ${file} can't be read (${code}). Correct FEDPLANE_TOKENS.`, { cause })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

type Principals = ReadonlyMap<string, Principal>

const load = (file: string): Principals => {
  const json = parseJson(file, readPrivate(file))
  const parsed = TokenFile.safeParse(json)
  if (!parsed.success) throw refuse(file, describe(json, parsed.error.issues))
  return new Map(
    Object.entries(parsed.data).map(([token, holder]) => [digest(token), { ...holder, source: 'token-file' as const }]),
  )
}

/** Changes when the file is written, replaced or opened to others; undefined when it is gone. */
const stampOf = (file: string): string | undefined => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino}-${stat.mtimeNs}-${stat.size}-${stat.mode}-${stat.uid}`
}

type TokenLookup = (token: string) => Principal | undefined

/**
 * Looks tokens up in a file that is read again when it changes. A change that can't be read, or a file that others can read since, is logged, and
 * the tokens before it stay valid.
 *
 * @throws TokenFileInvalid when the file is bad, or not its user's alone, at the start
 */
export const openTokenFile = (file: string, log: Logger): TokenLookup => {
  let stamp = stampOf(file)
  let principals = load(file)
  return (token) => {
    const now = stampOf(file)
    if (now !== stamp) {
      stamp = now
      try {
        principals = load(file)
      } catch (error) {
        log.error('token file not read again; the tokens before stay valid', { error })
      }
    }
    return principals.get(digest(token))
  }
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
  /** FEDPLANE_TOKENS. */
  tokensFile?: string | undefined
  identity?: IdentitySettings | undefined
}

/**
 * The authorizer of local mode, as HTTP APIs call it. A token in the file is known by it; what is not is left to the identity providers, if
 * there are any. With neither everybody is the local principal.
 *
 * @throws TokenFileInvalid
 */
export const openAuthorizer = (
  { tokensFile, identity }: AuthorizerSettings,
  ports: { clock: Clock; log: Logger },
): ((headers: RequestHeaders) => Promise<AuthorizerContext>) => {
  const byFile = localAuthorizer(tokensFile ? openTokenFile(tokensFile, ports.log) : undefined)
  if (!identity) return async (headers) => authorizerContextOf(await byFile(headers))
  const byProvider = identifier(identity, ports)
  return async (headers) => {
    const found: Identity | undefined = tokensFile ? await byFile(headers) : undefined
    return authorizerContextOf(found && 'principal' in found ? found : await byProvider(headers))
  }
}
