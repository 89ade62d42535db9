/** What went wrong, in terms a caller can act on. `kind` becomes an HTTP status in one place: `functions/api/envelope.ts`. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'throttled'
  | 'unavailable'
  | 'internal'

export type AppErrorOptions = {
  /** Kept for the log; never shown to a caller. */
  cause?: unknown
  /** Facts that are safe to show and to log. Never a secret. */
  details?: Readonly<Record<string, unknown>>
}

/** Characters of a message: it is stored as a status, and may hold what clusters and services say. */
const MESSAGE_MAX = 4096

/**
 * Base of every error that fedplane throws on purpose.
 *
 * - `name` is a literal, because Lambda reports it to Step Functions, `ErrorEquals` matches it, and bundlers rename classes.
 * - `message` is a complete sentence that is safe to show: what was wrong, what was expected, what to try. Never a secret.
 * - `retryable` says that the same call may succeed later without anybody changing anything.
 */
export abstract class AppError extends Error {
  abstract override readonly name: string
  abstract readonly kind: ErrorKind
  readonly retryable: boolean = false
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, options: AppErrorOptions = {}) {
    super(message.slice(0, MESSAGE_MAX), options.cause === undefined ? undefined : { cause: options.cause })
    this.details = options.details ?? {}
  }
}

/** True for errors of ours, whose name and message may be shown. */
export const isAppError = (error: unknown): error is AppError => error instanceof AppError

/** What a log says of an error: of ours name and message, of any other all that there is. */
export const loggedError = (error: unknown): { error: unknown; message?: string } =>
  isAppError(error) ? { error: error.name, message: error.message } : { error }
