import { isAdminRole, isSameRole } from '../../core/values/identity.ts'
import type { Secret } from '../../core/values/secret.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import type { Cloud, CloudGrant, CloudGrantRef, GrantPurpose } from '../cloud.ts'
import { CloudCredentialRefused, CloudGrantDead, CloudGrantLeft } from '../errors.ts'
import type { KeystoneRole } from './answers.schema.ts'
import { isRefused, KeystoneApi, type Refusal } from './keystone-api.ts'
import { makeGrant } from './make-grant.ts'
import { noRoleFor, requireGranting, tokenRefused } from './refusals.ts'

/**
 * The roles of a token that a cluster gets: those on the list, and never `admin`, whatever the list says. An allow-list, since roles such as a
 * project's manager let their bearer do more than machines need, and an application credential lives for weeks in places that are read.
 */
const delegatedRoles = (roles: readonly KeystoneRole[], allowed: readonly string[]): KeystoneRole[] =>
  roles.filter(({ name }) => !isAdminRole(name) && allowed.some((one) => isSameRole(one, name)))

/** All calls for one question, milliseconds: the function of the API has 25 s, and a grant is made beside other things. */
const QUESTION_MS = 8_000
/** Tidying up after one that failed, milliseconds: at most this. */
const TIDY_MS = 4_000

export type KeystoneCloudSettings = {
  /** URL of Keystone without `/v3`. */
  base: string
  /** Region of the cloud's catalog; null: the only one there is. */
  region: string | null
  /** PEM of the authorities that vouch for the cloud's endpoints; null: those that everybody trusts. */
  caPem: string | null
  /** Names of the roles that clusters may get; `admin` never counts. Compared without case. */
  roles: readonly string[]
}

/** Opens a way to Keystone for one question, or for tidying up after one. */
type Open = (purpose?: 'tidy') => KeystoneApi

const tidying = (open: Open) => ({ anew: () => open('tidy') })

/** Keystone deletes a user's application credentials with him, and with his role in the project; then it knows them no longer. */
const GONE = 'Keystone no longer takes them, as it does when the user or his role in the project is gone'

const saying = ({ status, words }: Refusal): string =>
  status === 401 || status === 404 ? GONE : `Keystone answers ${status} and says ${words}`

const idsOf = ({ userId, restrictedId, unrestricted }: CloudGrantRef): string =>
  `application credentials ${restrictedId} and ${unrestricted.id} of user ${userId}`

const renewalOf = (grant: CloudGrantRef): string => `The ${idsOf(grant)} can't be renewed:`
const REPLACE = 'A member of the project replaces them with PATCH /v1/credentials/{cluster}.'

const dead = (grant: CloudGrantRef, refusal: Refusal): CloudGrantDead =>
  new CloudGrantDead(`${renewalOf(grant)} ${saying(refusal)}. ${REPLACE}`)

const left = (grant: CloudGrantRef, refusal: Refusal): CloudGrantLeft =>
  new CloudGrantLeft(
    `The ${idsOf(grant)} could not be revoked: ${saying(refusal)}. Have them removed if they are still there.`,
  )

type Wanted = { userId: string; purpose: GrantPurpose; allowed: readonly string[] }

const grant = async (open: Open, token: Secret, { userId, purpose, allowed }: Wanted): Promise<CloudGrant> => {
  const api = open()
  const described = await api.describe(token)
  if (isRefused(described)) throw tokenRefused()
  requireGranting(described, { userId, projectId: purpose.projectId })
  const roles = delegatedRoles(described.roles, allowed)
  if (roles.length === 0) {
    throw new CloudCredentialRefused(
      `The cluster needs application credentials of its own. ${noRoleFor(described, allowed)}`,
    )
  }
  return makeGrant({ api, token, described, roles, purpose, ...tidying(open) })
}

type Renewal = { old: CloudGrantRef; purpose: GrantPurpose; allowed: readonly string[] }

const renew = async (open: Open, { old, purpose, allowed }: Renewal): Promise<CloudGrant> => {
  const api = open()
  const session = await api.login(old.unrestricted)
  if (isRefused(session)) throw dead(old, session)
  const described = await api.describe(session.token)
  if (isRefused(described)) throw dead(old, described)
  const roles = delegatedRoles(described.roles, allowed)
  if (roles.length === 0) throw new CloudGrantDead(`${renewalOf(old)} ${noRoleFor(described, allowed)} ${REPLACE}`)
  return makeGrant({ api, token: session.token, described, roles, purpose, ...tidying(open) })
}

const revokeBoth = async (api: KeystoneApi, old: CloudGrantRef): Promise<void> => {
  const session = await api.login(old.unrestricted)
  if (isRefused(session)) throw left(old, session)
  const caller = { token: session.token, userId: old.userId }
  // The unrestricted credential goes last: without it the restricted credential can't be revoked.
  for (const id of [old.restrictedId, old.unrestricted.id]) {
    const refusal = await api.remove(caller, id)
    if (refusal !== null) throw left(old, refusal)
  }
}

const revoke = async (open: Open, old: CloudGrantRef): Promise<void> => {
  try {
    await revokeBoth(open(), old)
  } catch (cause) {
    if (!(cause instanceof IdentityProviderUnavailable)) throw cause
    throw new IdentityProviderUnavailable(`The ${idsOf(old)} are not revoked: ${cause.message}`, { cause })
  }
}

/**
 * Application credentials by Keystone's Identity API v3 (decision 0018).
 *
 * @param questionMs for all calls of one question, milliseconds
 */
export const keystoneCloud = (settings: KeystoneCloudSettings, questionMs = QUESTION_MS): Cloud => {
  const { base, region, caPem } = settings
  const allowed = settings.roles.filter((role) => !isAdminRole(role))
  const tidyMs = Math.min(questionMs, TIDY_MS)
  const open: Open = (kind) => new KeystoneApi(settings, AbortSignal.timeout(kind === 'tidy' ? tidyMs : questionMs))
  return {
    access: { authUrl: `${base}/v3`, region, caPem },
    grant: (token, userId, purpose) => grant(open, token, { userId, purpose, allowed }),
    renew: (old, purpose) => renew(open, { old, purpose, allowed }),
    isAlive: async ({ unrestricted }) => !isRefused(await open().login(unrestricted)),
    revoke: (old) => revoke(open, old),
  }
}
