import { AppError } from '../core/values/app-error.ts'

/** The text is no certificate signing request that may be signed; the message says why and what to send. */
export class SigningRequestRejected extends AppError {
  override readonly name = 'SigningRequestRejected'
  readonly kind = 'invalid'
}

/** The authority may sign nothing any more. */
export class AuthorityExpired extends AppError {
  override readonly name = 'AuthorityExpired'
  readonly kind = 'invalid'
}
