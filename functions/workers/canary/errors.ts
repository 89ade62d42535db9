import { AppError } from '../../core/values/app-error.ts'

/** The canary did not get along the main path; the message says at which step, and what it was told there. */
export class CanaryFailed extends AppError {
  override readonly name = 'CanaryFailed'
  readonly kind = 'internal'
}

/** The canary's secret holds something else than it should; the message says what is expected, and nothing of the text. */
export class CanarySecretInvalid extends AppError {
  override readonly name = 'CanarySecretInvalid'
  readonly kind = 'invalid'
}

/** An answer of fedplane, or of who gives the canary its token, that is no success. `details.status` is its code. */
export class CanaryRefused extends AppError {
  override readonly name = 'CanaryRefused'
  readonly kind = 'unavailable'
}
