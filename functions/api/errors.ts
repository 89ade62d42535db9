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

/** The caller's roles do not allow it; the message names the policy rule, as Magnum's does. `details` have `rule`, and of a join `side`. */
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

/**
 * Refusals before any resource is reached. Magnum gives them `code: ""` and no version headers (magnum-rest.md sections 3 and
 * 13.3).
 */
export abstract class FrameworkError extends AppError {}

/** No route has this path. */
export class RouteNotFound extends FrameworkError {
  override readonly name = 'RouteNotFound'
  readonly kind = 'not-found'
}

/** The path exists, the method does not. `details.allow` lists those that do. */
export class MethodNotAllowed extends FrameworkError {
  override readonly name = 'MethodNotAllowed'
  readonly kind = 'method-not-allowed'
}

/** A method on a path with an id too many or too few: 400 in Magnum, not 405 (magnum-rest.md 13.4). */
export class RouteArgumentsWrong extends FrameworkError {
  override readonly name = 'RouteArgumentsWrong'
  readonly kind = 'invalid'
}

/** `Accept` leaves out JSON. Its title is empty (magnum-rest.md section 2). */
export class AnswerNotAcceptable extends FrameworkError {
  override readonly name = 'AnswerNotAcceptable'
  readonly kind = 'not-acceptable'
}

/** The version header can't be read. */
export class MicroversionMalformed extends FrameworkError {
  override readonly name = 'MicroversionMalformed'
  readonly kind = 'not-acceptable'
}

/** The method exists, but only in other microversions. */
export class MethodNotInVersion extends FrameworkError {
  override readonly name = 'MethodNotInVersion'
  readonly kind = 'not-acceptable'
}
