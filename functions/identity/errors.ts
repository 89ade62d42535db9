import { AppError } from '../core/values/app-error.ts'

/**
 * An identity provider, or the secret with our credential for it, can't be asked: no answer in time, an answer that is none, or a
 * refusal of our own credential. The message never holds a token, a secret or an answer's body.
 */
export class IdentityProviderUnavailable extends AppError {
  override readonly name = 'IdentityProviderUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}
