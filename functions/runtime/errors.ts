import { AppError } from '../core/values/app-error.ts'

/** The process was started with a missing or malformed setting. `details.settings` names them. */
export class EnvironmentInvalid extends AppError {
  override readonly name = 'EnvironmentInvalid'
  readonly kind = 'internal'
}

/** Step Functions did not answer as it should: throttled, no answer in time, or a refusal. */
export class ExecutionsUnavailable extends AppError {
  override readonly name = 'ExecutionsUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** KMS did not answer as it should: throttled, no answer in time, or the key is disabled. */
export class KeyServiceUnavailable extends AppError {
  override readonly name = 'KeyServiceUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/**
 * A function without key rights was asked for a key: the request came past the gateway's routes, with a trailing slash for example,
 * to the function that answers what is left.
 */
export class KeyAccessMissing extends AppError {
  override readonly name = 'KeyAccessMissing'
  readonly kind = 'not-found'
}
