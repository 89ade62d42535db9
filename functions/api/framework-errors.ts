import { AppError } from '../core/values/app-error.ts'

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
