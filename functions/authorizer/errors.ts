import { AppError } from '../domain/app-error.ts'

/**
 * An identity provider, or the secret with our credential for it, can't be asked: no answer in time, an answer that is none, or a
 * refusal of our own credential. The message is for the log, and never holds a token, a secret or an answer's body.
 */
export class IdentityProviderUnavailable extends AppError {
  override readonly name = 'IdentityProviderUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** Secrets Manager did not give a secret: it is not there, we may not read it, or there was no answer in time. */
export class SecretUnavailable extends AppError {
  override readonly name = 'SecretUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}
