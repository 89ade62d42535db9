import { AppError } from '../core/values/app-error.ts'

/** Secrets Manager did not give a secret: it is not there, we may not read it, or there was no answer in time. */
export class SecretUnavailable extends AppError {
  override readonly name = 'SecretUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}
