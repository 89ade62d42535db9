import type { Secret } from '../core/values/secret.ts'

/** An application credential of Keystone. */
export type ApplicationCredential = { id: string; secret: Secret }

/**
 * What a user delegates to a cluster: two application credentials in the cluster's project (decision 0018). Both end with the user's roles in it, of which
 * they have those that a cluster may get (`core/values/identity.ts`).
 */
export type CloudGrant = {
  /** Whose they are. */
  userId: string
  /** For the cluster and for what makes its machines. Restricted: it makes and revokes no others. */
  restricted: ApplicationCredential
  /** For fedplane only, which makes the next grant with it, and revokes this one. Unrestricted. */
  unrestricted: ApplicationCredential
}

/** What is left to know of a grant that no longer serves, or does so elsewhere: enough to revoke it and to make the next one. */
export type CloudGrantRef = Pick<CloudGrant, 'userId' | 'unrestricted'> & { restrictedId: string }

/** What a grant is for. */
export type GrantPurpose = {
  projectId: string
  clusterId: string
  /** Ends the names of the credentials; with the same suffix what an earlier try left behind is replaced. */
  suffix: string
}

/** The cloud in whose projects clusters have their machines: its Keystone. */
export interface Cloud {
  /** Where and how to log in with a grant's credentials, for whoever gets one. */
  readonly access: {
    /** With `/v3`. */
    authUrl: string
    /** Null: the only one there is. */
    region: string | null
    /** PEM of the authorities that vouch for the cloud's endpoints; null: those that everybody trusts. */
    caPem: string | null
  }
  /**
   * Makes a grant with a user's own token. Nothing is left behind when it fails.
   *
   * @param userId whose token it must be
   * @throws CloudTokenRefused, CloudCredentialRefused, IdentityProviderUnavailable
   */
  grant(token: Secret, userId: string, purpose: GrantPurpose): Promise<CloudGrant>
  /**
   * Makes another grant of the same user with the unrestricted credential, without the user.
   *
   * @throws CloudGrantDead when Keystone no longer takes it; CloudCredentialRefused, IdentityProviderUnavailable
   */
  renew(grant: CloudGrantRef, purpose: GrantPurpose): Promise<CloudGrant>
  /** Whether Keystone still takes a grant. @throws IdentityProviderUnavailable */
  isAlive(grant: CloudGrantRef): Promise<boolean>
  /**
   * Revokes both credentials of a grant; those that are gone are no error.
   *
   * @throws CloudGrantLeft when Keystone does not let us; IdentityProviderUnavailable
   */
  revoke(grant: CloudGrantRef): Promise<void>
}
