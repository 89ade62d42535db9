import type { ErrorKind } from '../core/values/app-error.ts'

/** The one place where the kind of an error becomes an HTTP status (magnum-rest.md section 3). */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  throttled: 429,
  unavailable: 503,
  internal: 500,
}

export const httpStatusOf = (kind: ErrorKind): number => STATUS[kind]
