import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { z } from 'zod'
import type { Principal } from '../../functions/domain/principal.ts'
import type { Logger } from '../../functions/runtime/ports.ts'
import { TokenFileInvalid } from './errors.ts'
import { TokenFile } from './token-file.schema.ts'

const FORM = '{"<token>": {"userId": "…", "projectId": "…", "roles": ["admin" | "member" | "reader"]}}'

/** Tokens are looked up by their digest, so that the time of a lookup tells nothing about how much of a token is right. */
const digest = (token: string): string => createHash('sha256').update(token).digest('base64')

/** Field names of a misplaced entry may be tokens, which the message of zod would show. */
const faultOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys' ? 'has a field that is not known' : issue.message

/** `entry 2.roles[0]: Invalid option …`: the first path segment is the token itself, so its place stands for it. */
const describe = (tokens: readonly string[], issue: z.core.$ZodIssue): string => {
  const [token, ...rest] = issue.path
  if (token === undefined) return faultOf(issue)
  const where = rest.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`)).join('')
  return `entry ${tokens.indexOf(String(token)) + 1}${where}: ${faultOf(issue)}`
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

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new TokenFileInvalid(`The token file ${file} can't be read (${code}). Correct FEDPLANE_TOKENS.`, { cause })
  }
}

type Principals = ReadonlyMap<string, Principal>

const load = (file: string): Principals => {
  const json = parseJson(file, readText(file))
  const parsed = TokenFile.safeParse(json)
  if (!parsed.success) {
    const tokens = typeof json === 'object' && json !== null ? Object.keys(json) : []
    throw refuse(file, parsed.error.issues.map((issue) => describe(tokens, issue)).join('; '))
  }
  return new Map(
    Object.entries(parsed.data).map(([token, holder]) => [digest(token), { ...holder, source: 'token-file' as const }]),
  )
}

/** Changes when the file is written or replaced; undefined when it is gone. */
const stampOf = (file: string): string | undefined => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino}-${stat.mtimeNs}-${stat.size}`
}

export type TokenLookup = (token: string) => Principal | undefined

/**
 * Looks tokens up in a file that is read again when it changes. A change that can't be read is logged, and the tokens before it
 * stay valid.
 *
 * @throws TokenFileInvalid when the file is bad at the start
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
