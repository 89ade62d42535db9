import type { Secret } from '../../core/values/secret.ts'
import type { ApplicationCredential, CloudGrant, GrantPurpose } from '../cloud.ts'
import { CloudCredentialRefused } from '../errors.ts'
import type { DescribedToken, KeystoneRole } from './answers.schema.ts'
import { type Caller, isRefused, type KeystoneApi, type NewCredential } from './keystone-api.ts'
import { creationRefused } from './refusals.ts'

type Kind = 'restricted' | 'unrestricted'

/** What the two of a grant are made with. */
export type Maker = {
  api: KeystoneApi
  /** The token that they are made with. */
  token: Secret
  described: DescribedToken
  /** Of the token's: those that both get. */
  roles: readonly KeystoneRole[]
  purpose: GrantPurpose
  /** Another way to Keystone, whose time has just begun: for tidying up when that of `api` is over. */
  anew(): KeystoneApi
}

const CONFLICT = 409

const nameOf = ({ clusterId, suffix }: GrantPurpose, kind: Kind): string =>
  `fedplane-${clusterId}-${suffix}${kind === 'unrestricted' ? '-renewal' : ''}`

const newCredential = ({ roles, purpose }: Maker, kind: Kind): NewCredential => ({
  name: nameOf(purpose, kind),
  description:
    kind === 'unrestricted'
      ? 'Renews and revokes the application credential of a cluster. Held by fedplane alone.'
      : 'For the machines of a cluster that fedplane makes.',
  unrestricted: kind === 'unrestricted',
  roles: roles.map(({ id }) => ({ id })),
})

/** Removes the one of this name, if there is one: of a try whose answer was lost, and the secret with it. */
const removeNamed = async (api: KeystoneApi, caller: Caller, name: string): Promise<void> => {
  const ids = await api.find(caller, name)
  if (isRefused(ids)) return
  for (const id of ids) await api.remove(caller, id)
}

const make = async (maker: Maker, token: Secret, kind: Kind): Promise<ApplicationCredential> => {
  const { api, described } = maker
  const caller = { token, userId: described.user.id }
  const wanted = newCredential(maker, kind)
  let made = await api.create(caller, wanted)
  if (isRefused(made) && made.status === CONFLICT) {
    await removeNamed(api, caller, wanted.name)
    made = await api.create(caller, wanted)
  }
  if (isRefused(made)) throw creationRefused(made, described)
  return made
}

/** The restricted credential is made with the unrestricted credential, which so proves itself. */
const makeRestricted = async (maker: Maker, unrestricted: ApplicationCredential): Promise<ApplicationCredential> => {
  const session = await maker.api.login(unrestricted)
  if (isRefused(session)) throw creationRefused(session, maker.described)
  return make(maker, session.token, 'restricted')
}

/** Best effort: what matters to the caller is why there is no grant. Leftovers can be found by their names. */
const tidyUp = async ({ anew, token, described, purpose }: Maker): Promise<void> => {
  const api = anew()
  const caller = { token, userId: described.user.id }
  for (const kind of ['restricted', 'unrestricted'] as const) {
    await removeNamed(api, caller, nameOf(purpose, kind)).catch(() => undefined)
  }
}

/**
 * Makes the two credentials of a grant. What is made, or may have been made, when something fails is removed again.
 *
 * @throws CloudCredentialRefused, CloudTokenRefused, IdentityProviderUnavailable
 */
export const makeGrant = async (maker: Maker): Promise<CloudGrant> => {
  let unrestricted: ApplicationCredential | undefined
  try {
    unrestricted = await make(maker, maker.token, 'unrestricted')
    return { userId: maker.described.user.id, unrestricted, restricted: await makeRestricted(maker, unrestricted) }
  } catch (error) {
    if (unrestricted !== undefined || !(error instanceof CloudCredentialRefused)) await tidyUp(maker)
    throw error
  }
}
