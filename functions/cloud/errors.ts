import { AppError } from '../core/values/app-error.ts'

/** Application credentials are needed, and this installation knows no Keystone. */
export class CloudMissing extends AppError {
  override readonly name = 'CloudMissing'
  readonly kind = 'invalid'
}

/** Application credentials are needed, and the request brought no token of Keystone to make them with. */
export class CloudTokenMissing extends AppError {
  override readonly name = 'CloudTokenMissing'
  readonly kind = 'invalid'
}

/** Keystone no longer takes the caller's token, which has passed the authorizer a moment ago or is remembered there. */
export class CloudTokenRefused extends AppError {
  override readonly name = 'CloudTokenRefused'
  readonly kind = 'unauthenticated'
}

/** Keystone makes no application credentials for this token; the message says what to use instead, as far as that can be known. */
export class CloudCredentialRefused extends AppError {
  override readonly name = 'CloudCredentialRefused'
  readonly kind = 'invalid'
}

/** Keystone no longer takes the application credentials that a user delegated to a cluster: he, or his roles in the project, are gone. */
export class CloudGrantDead extends AppError {
  override readonly name = 'CloudGrantDead'
  readonly kind = 'conflict'
}

/** Application credentials that could not be revoked; the message names them. */
export class CloudGrantLeft extends AppError {
  override readonly name = 'CloudGrantLeft'
  readonly kind = 'conflict'
}
