import type { TokenAuthority } from '../identity/session.ts'
import type { KeystoneCredential } from './settings.schema.ts'

export type KeystoneSettings = {
  /** With or without `/v3`. */
  url: string
  /** PEM of the only authorities that may vouch for Keystone and the cloud's other endpoints. Default: those that everybody trusts. */
  caPem?: string
  /** Region of the cloud's catalog in which clusters have their machines. Default: the only one there is. */
  region?: string
  /** Names of the roles that clusters get in their application credentials. Default: `DEFAULT_CLUSTER_ROLES`. */
  clusterRoles?: readonly string[]
  /**
   * Reads the service credential. It is asked at the first use, and again when Keystone refuses what it gave before.
   *
   * @throws IdentityProviderUnavailable
   */
  readCredential(signal: AbortSignal): Promise<KeystoneCredential>
}

/** Names of claims. A name is looked for as it is, then as a path with dots: `realm_access.roles`. */
export type ClaimNames = {
  /** Default `sub`. */
  user: string
  /** Default `project_id`. */
  project: string
  /** A list, or text with spaces between. Default `roles`. */
  roles: string
}

export const DEFAULT_CLAIMS: ClaimNames = { user: 'sub', project: 'project_id', roles: 'roles' }

export type OidcSettings = {
  /** As it stands in tokens (`iss`). */
  issuer: string
  /** One that a token must be for (`aud`). */
  audience: string
  claims: ClaimNames
}

/** Who vouches for callers. None: nobody does. `users` are those of the identity facade, which stands in Keystone's place. */
export type IdentitySettings = { keystone?: KeystoneSettings; oidc?: OidcSettings; users?: TokenAuthority }

/** URL of Keystone without the version, for calls and for clients (`WWW-Authenticate`). */
export const keystoneBase = (url: string): string => url.replace(/\/+$/, '').replace(/\/v3$/, '')
