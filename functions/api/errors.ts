import { AppError } from '../core/values/app-error.ts'

/** The body has a content type that is not JSON. */
export class UnsupportedMediaType extends AppError {
  override readonly name = 'UnsupportedMediaType'
  readonly kind = 'unsupported-media-type'
}

/** No principal: the authorizer says why. Answered outside of the envelope (magnum-rest.md section 3). */
export class Unauthenticated extends AppError {
  override readonly name = 'Unauthenticated'
  readonly kind = 'unauthenticated'
}

/** The identity provider could not be asked who calls, so nothing is allowed until it can. */
export class IdentityUnknown extends AppError {
  override readonly name = 'IdentityUnknown'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The caller's roles do not allow it; the message names the policy rule, as Magnum's does. */
export class PolicyForbids extends AppError {
  override readonly name = 'PolicyForbids'
  readonly kind = 'forbidden'
}

/** A browser asks by GET for what only a POST gives it. */
export class BrowserRefused extends AppError {
  override readonly name = 'BrowserRefused'
  readonly kind = 'forbidden'
}

/** A name that several objects have. */
export class NameAmbiguous extends AppError {
  override readonly name = 'NameAmbiguous'
  readonly kind = 'conflict'
}

/** The `Idempotency-Key` was used for another request. */
export class IdempotencyKeyReused extends AppError {
  override readonly name = 'IdempotencyKeyReused'
  readonly kind = 'conflict'
}

/** The version asked for is well-formed but not offered; answered with a body of its own (magnum-rest.md 1.3). */
export class MicroversionUnsupported extends AppError {
  override readonly name = 'MicroversionUnsupported'
  readonly kind = 'not-acceptable'
}
