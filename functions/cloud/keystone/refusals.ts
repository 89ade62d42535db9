import { CloudCredentialRefused, CloudTokenRefused } from '../errors.ts'
import type { DescribedToken } from './answers.schema.ts'
import type { Refusal } from './keystone-api.ts'

const INSTEAD =
  'Log in with a user name and password, or with an application credential that was made with --unrestricted.'

/** Of a token that was fine when the request came in. */
export const tokenRefused = (): CloudTokenRefused =>
  new CloudTokenRefused('Keystone no longer takes the token: get a new one and send the request again.')

/**
 * What keeps Keystone from making application credentials with a token, as far as the token tells.
 *
 * @throws CloudCredentialRefused
 */
export const requireGranting = (token: DescribedToken, wanted: { userId: string; projectId: string }): void => {
  if (token.user.id !== wanted.userId || token.project?.id !== wanted.projectId) {
    throw new CloudCredentialRefused(
      "The token in X-Auth-Token is not that of the caller in the cluster's project, so no application credential can be made with it. Send one token only, for that project.",
    )
  }
  if (token.application_credential?.restricted) {
    throw new CloudCredentialRefused(
      `The cluster needs application credentials of its own, and Keystone makes none for a token that was got with a restricted application credential. ${INSTEAD}`,
    )
  }
}

/** Of a caller, or of credentials of before, without any role that a cluster may get. */
export const noRoleFor = ({ roles }: DescribedToken, allowed: readonly string[]): string =>
  `The token has none of the roles that a cluster may get (${allowed.join(', ')}); it has ${roles.map(({ name }) => name).join(', ') || 'none'}. ` +
  'Have one of them given to the user in the project; "admin" is never passed on.'

/** What a refusal to make one may mean, by its status (Keystone's API reference). */
const meaningOf = (status: number, federated: boolean): string => {
  if (status === 403) {
    return 'Its policy, or the number of application credentials that a user may have, is in the way: remove some that are not needed, or ask the operator of the cloud.'
  }
  if (status === 400 && federated) {
    return 'The user comes from an identity provider, and roles by its groups do not count for application credentials: have the role in the project given to the user himself.'
  }
  if (status === 400 || status === 404) {
    return 'The user has not got all roles of the token in the project himself: have them given to the user.'
  }
  return INSTEAD
}

/** Keystone's refusal to make one. */
export const creationRefused = (
  { status, words }: Refusal,
  token: DescribedToken,
): CloudCredentialRefused | CloudTokenRefused => {
  if (status === 401) return tokenRefused()
  const federated = token.user['OS-FEDERATION'] !== undefined
  return new CloudCredentialRefused(
    `The cluster needs application credentials of its own, and Keystone made none for user ${token.user.id} (${status}, it says ${words}). ${meaningOf(status, federated)}`,
    { details: { status } },
  )
}
