import { oidc } from '../authorizer/oidc/oidc.ts'
import type { Clock, Logger } from '../core/ports.ts'
import type { Identity } from '../core/values/identity.ts'
import { jsonOrNothing } from '../core/values/json.ts'
import { parseDirectory, type UserDirectory } from '../identity/directory.schema.ts'
import { IdentityProviderUnavailable } from '../identity/errors.ts'
import type { TokenAuthority } from '../identity/session.ts'
import type { IdentityEnv, TokenAuthorityEnv } from '../identity-api/env.schema.ts'
import { dynamoIdentityStore } from '../store/dynamodb/identity-store.ts'
import { openDocumentClient } from '../store/dynamodb/request.ts'
import { type SecretReader, secretReader } from './secret-reader.ts'

const systemClock: Clock = { now: () => new Date() }

/** How long a secret is used without reading it again: so long does a user work that was taken out. */
const KEPT_MS = 60_000
/** The authorizer has 10 s in all. */
const READ_MS = 3_000
/** A secret has 64 KB, in which a user has some eight values. */
const VALUES_MAX = 20_000
const TOKEN_KEY_BYTES_MIN = 32

type Ports = { log: Logger; clock: Clock }

/** A value of a secret, read again after a minute. While it can't be read, or is wrong, what it was before stays valid. */
const kept = <T>(what: string, read: () => Promise<T>, { log, clock }: Ports): (() => Promise<T>) => {
  let last: { value: T } | undefined
  let until = 0
  return async () => {
    const now = clock.now().getTime()
    if (last !== undefined && now < until) return last.value
    try {
      last = { value: await read() }
    } catch (error) {
      if (last === undefined) throw error
      log.error(`${what} not read again; what was there before stays valid`, { error })
    }
    until = now + KEPT_MS
    return last.value
  }
}

const directoryOf = (text: string, arn: string): UserDirectory => {
  const parsed = parseDirectory(jsonOrNothing(text, VALUES_MAX))
  if ('directory' in parsed) return parsed.directory
  throw new IdentityProviderUnavailable(
    `The secret ${arn} holds no users: ${parsed.faults.join('; ')}. Expected JSON: {"users": [{"name", "password", "projects": [{"name", "roles"}]}]}.`,
  )
}

const tokenKeyOf = (text: string, arn: string): Uint8Array => {
  const key = Buffer.from(text, 'utf8')
  if (key.length >= TOKEN_KEY_BYTES_MIN) return new Uint8Array(key)
  throw new IdentityProviderUnavailable(
    `The secret ${arn} is no key: ${TOKEN_KEY_BYTES_MIN} characters at least are expected.`,
  )
}

/** What tokens of the facade are made and checked with on AWS: two secrets and the table. @param readerOf default: Secrets Manager */
export const tokenAuthority = (
  { TABLE_NAME: tableName, IDENTITY_USERS_ARN: users, IDENTITY_TOKEN_KEY_ARN: key }: TokenAuthorityEnv,
  log: Logger,
  readerOf: (arn: string) => SecretReader = secretReader,
  clock: Clock = systemClock,
): TokenAuthority => {
  const ports = { log, clock }
  const text = (arn: string): (() => Promise<string>) => {
    const read = readerOf(arn)
    return () => read(AbortSignal.timeout(READ_MS))
  }
  const [usersText, keyText] = [text(users), text(key)]
  return {
    directory: kept('users', async () => directoryOf(await usersText(), users), ports),
    tokenKey: kept('key of tokens', async () => tokenKeyOf(await keyText(), key), ports),
    // The Region is the function's own, as Lambda sets it.
    store: dynamoIdentityStore({ client: openDocumentClient({}), tableName, clock }),
    clock,
  }
}

/** Who holds a JWT, by the OIDC issuer of a function's environment; undefined where there is none. */
export const jwtIdentity = (env: IdentityEnv): ((token: string) => Promise<Identity>) | undefined => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = env
  const claims = { user: env.OIDC_USER_CLAIM, project: env.OIDC_PROJECT_CLAIM, roles: env.OIDC_ROLES_CLAIM }
  return issuer === '' ? undefined : oidc({ issuer, audience, claims }, { clock: systemClock })
}
