import { AppError, type AppErrorOptions } from '../../functions/core/values/app-error.ts'
import * as errors from '../../functions/kubernetes/errors.ts'
import type { SentError } from './messages.ts'

/** The thread that read from this cluster, and from no other, ended or hung. */
export class AnswerUnreadable extends AppError {
  override readonly name = 'AnswerUnreadable'
  readonly kind = 'unavailable'
}

const { ClusterIdentityChanged: _identity, StoredConnectionInvalid: _stored, ...clientErrors } = errors

/** What a client of `functions/kubernetes` throws: all of its errors but those that are said of a cluster's identity, and of the store. */
export const CLIENT_ERRORS: readonly (new (message: string, options: AppErrorOptions) => AppError)[] =
  Object.values(clientErrors)

const KINDS = new Map(CLIENT_ERRORS.map((Kind) => [new Kind('', {}).name, Kind]))

/** The error as it was thrown in the other thread. */
export const received = ({ name, message, details }: SentError): Error => {
  const Kind = KINDS.get(name)
  return Kind === undefined ? new Error(`Reading from a cluster failed: ${name}.`) : new Kind(message, { details })
}
