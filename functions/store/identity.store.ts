import type { Role } from '../core/values/identity.ts'

/** An application credential of a user of the identity facade. */
export type ApplicationCredential = {
  id: string
  name: string
  description: string
  userId: string
  projectId: string
  roles: readonly Role[]
  /** May make and delete application credentials itself. */
  unrestricted: boolean
  /** SHA-256 of the secret, base64: it is 32 random bytes, so that no dictionary finds it. */
  secretDigest: string
  /** ISO-8601 UTC; null: never. */
  expiresAt: string | null
  createdAt: string
}

/** What the identity facade keeps: revoked tokens, counts of failed logins, application credentials. Reads are strongly consistent. */
export interface IdentityStore {
  /** Refuses a token from now on. Forgotten after `expiresAt`, when it is refused anyway. */
  revoke(tokenId: string, expiresAt: Date): Promise<void>
  /** True when one of them was revoked. */
  isAnyRevoked(tokenIds: readonly string[]): Promise<boolean>

  /** Counts a login within a span of time; gives how many there are now, this one included. */
  countLogin(of: string, span: { id: string; endsAt: Date }): Promise<number>
  /** Takes one away again: it was a good one. */
  forgetLogin(of: string, span: { id: string; endsAt: Date }): Promise<void>

  /** Undefined when there is none, or it has expired. */
  applicationCredential(id: string): Promise<ApplicationCredential | undefined>
  /** Of a user, those that have expired too, by id. */
  applicationCredentialsOf(userId: string): Promise<ApplicationCredential[]>
  /** @throws AlreadyExists when the user has one with this name */
  addApplicationCredential(credential: ApplicationCredential): Promise<void>
  /** Absent is no error. */
  removeApplicationCredential(credential: ApplicationCredential): Promise<void>
}
