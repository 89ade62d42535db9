import { STATUS_CODES } from 'node:http'
import { AppError, type ErrorKind } from '../core/values/app-error.ts'

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  throttled: 429,
  unavailable: 503,
  internal: 500,
} as const satisfies Partial<Record<ErrorKind, number>>

export type RefusalKind = keyof typeof STATUS

/** A request that the facade refuses, with what the caller is told. */
export class IdentityRefusal extends AppError {
  override readonly name = 'IdentityRefusal'
  readonly kind: RefusalKind
  readonly headers: Readonly<Record<string, string>>

  constructor(kind: RefusalKind, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.kind = kind
    this.headers = headers
  }
}

/** One text for every failed login, as Keystone's: it does not tell whether user, password or project is wrong. */
export const unauthorized = (message = 'The request you have made requires authentication.'): IdentityRefusal =>
  new IdentityRefusal('unauthenticated', message)

export const forbidden = (message: string): IdentityRefusal => new IdentityRefusal('forbidden', message)
export const invalid = (message: string): IdentityRefusal => new IdentityRefusal('invalid', message)
export const notFound = (message: string): IdentityRefusal => new IdentityRefusal('not-found', message)

/** Status and body in Keystone's form. */
export const errorAnswer = (kind: RefusalKind, message: string) => {
  const code = STATUS[kind]
  return { status: code, body: { error: { code, message, title: STATUS_CODES[code] ?? '' } } }
}
