import { hkdfSync } from 'node:crypto'
import path from 'node:path'
import { parse as parseYaml } from 'yaml'
import { oidc } from '../../functions/authorizer/oidc/oidc.ts'
import type { IdentitySettings } from '../../functions/authorizer/settings.ts'
import type { Logger } from '../../functions/core/ports.ts'
import { parseDirectory, type UserDirectory } from '../../functions/identity/directory.schema.ts'
import type { TokenAuthority } from '../../functions/identity/session.ts'
import { type IdentityApp, identityApp } from '../../functions/identity-api/identity-app.ts'
import { dynamoIdentityStore } from '../../functions/store/dynamodb/identity-store.ts'
import type { IdentityStore } from '../../functions/store/identity.store.ts'
import { type Database, TABLE } from '../database.ts'
import { openKeyFile } from '../keys/key-file.ts'
import { systemClock } from '../ports.ts'
import { UserFileInvalid } from './errors.ts'
import { watchedFile } from './watched-file.ts'

const refuse = (file: string, fault: string): UserFileInvalid =>
  new UserFileInvalid(
    `The user file ${file} is refused: ${fault}. Expected users: [{name, password, projects: [{name, roles}]}], with passwords as \`fedplane user hash\` prints them.`,
  )

const parse = (file: string, text: string): UserDirectory => {
  let document: unknown
  try {
    document = parseYaml(text)
  } catch {
    // The parser's message quotes the text, which may hold a password.
    throw refuse(file, 'it is neither YAML nor JSON')
  }
  const parsed = parseDirectory(document)
  if ('directory' in parsed) return parsed.directory
  throw refuse(file, parsed.faults.join('; '))
}

/**
 * The users of FEDPLANE_USERS, read again when the file changes.
 *
 * @throws UserFileInvalid
 */
export const openUserFile = (file: string, log: Logger): (() => UserDirectory) =>
  watchedFile(file, {
    what: 'user file',
    setting: 'FEDPLANE_USERS',
    danger: 'who could let others in',
    invalid: (message, options) => new UserFileInvalid(message, options),
    parse: (text) => parse(file, text),
    log,
  })

/** What tokens are signed with here: made from the key of this machine, so that they outlive a restart. */
const TOKEN_KEY = 'fedplane tokens of the identity facade'
const TOKEN_KEY_BYTES = 32

const openTokenKey = async (dataDir: string): Promise<Uint8Array> => {
  const key = await openKeyFile(path.join(dataDir, 'key'))
  return new Uint8Array(hkdfSync('sha256', key, '', TOKEN_KEY, TOKEN_KEY_BYTES))
}

export type FacadeOptions = {
  users: () => UserDirectory
  dataDir: string
  database: Pick<Database, 'client'>
  /** Whose tokens are exchanged for ours, when there is an OIDC issuer. */
  identity: IdentitySettings | undefined
  baseUrl(headers: Readonly<Record<string, string | undefined>>): string
  log: Logger
}

/** The identity facade on this machine: what checks its tokens, and what answers below `/identity`. @throws KeyFileUnusable */
export const openFacade = async ({
  users,
  dataDir,
  database,
  identity,
  baseUrl,
  log,
}: FacadeOptions): Promise<{ authority: TokenAuthority; app: IdentityApp }> => {
  const tokenKey = await openTokenKey(dataDir)
  const store: IdentityStore = dynamoIdentityStore({ client: database.client, tableName: TABLE, clock: systemClock })
  const authority = { directory: async () => users(), tokenKey: async () => tokenKey, store, clock: systemClock }
  const issuer = identity?.oidc && oidc(identity.oidc, { clock: systemClock })
  return { authority, app: identityApp({ ...authority, log, baseUrl, oidc: issuer }) }
}
