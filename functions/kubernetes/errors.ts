import { AppError } from '../core/values/app-error.ts'

/** The server's name could not be resolved. */
export class DnsLookupFailed extends AppError {
  override readonly name = 'DnsLookupFailed'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** No TCP and TLS connection within the connect time-out (3 s). */
export class ConnectTimedOut extends AppError {
  override readonly name = 'ConnectTimedOut'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The connection was refused, reset, or there was no route. */
export class ConnectFailed extends AppError {
  override readonly name = 'ConnectFailed'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** Connected, but no whole answer within the total time-out (15 s); or not asked any more, since the step that asks has had its time. */
export class RequestTimedOut extends AppError {
  override readonly name = 'RequestTimedOut'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The server's certificate is not trusted by the given CA, is expired, or is for another name. */
export class TlsVerificationFailed extends AppError {
  override readonly name = 'TlsVerificationFailed'
  readonly kind = 'unavailable'
}

/** The address guard refuses the address that the server's name resolves to. */
export class AddressForbidden extends AppError {
  override readonly name = 'AddressForbidden'
  readonly kind = 'invalid'
}

/** 401: the cluster does not accept the credential. */
export class CredentialRejected extends AppError {
  override readonly name = 'CredentialRejected'
  readonly kind = 'unavailable'
}

/** 403: the credential is known but may not do this. */
export class PermissionDenied extends AppError {
  override readonly name = 'PermissionDenied'
  readonly kind = 'unavailable'
}

/** What answers is not a Kubernetes API server. */
export class NotKubernetes extends AppError {
  override readonly name = 'NotKubernetes'
  readonly kind = 'unavailable'
}

/** The answer is larger than allowed, before or after decompression. */
export class AnswerTooLarge extends AppError {
  override readonly name = 'AnswerTooLarge'
  readonly kind = 'unavailable'
}

/** A list that goes on and on. Not retryable: it would be read as far once more. */
export class ListTooLong extends AppError {
  override readonly name = 'ListTooLong'
  readonly kind = 'unavailable'
}

/** 404 for something that a caller needs. `get` answers undefined instead. */
export class ObjectNotFound extends AppError {
  override readonly name = 'ObjectNotFound'
  readonly kind = 'not-found'
}

/** Whoever could edit in the namespace would have credentials that fedplane keeps there. */
export class CredentialsInNamespace extends AppError {
  override readonly name = 'CredentialsInNamespace'
  readonly kind = 'conflict'
}

/** 409: AlreadyExists, or the object changed meanwhile, or its namespace is being terminated. `details.reason` is the Status reason. */
export class ObjectConflict extends AppError {
  override readonly name = 'ObjectConflict'
  readonly kind = 'conflict'
  override readonly retryable = true
}

/** 400 or 422: the API server refuses the object. */
export class ObjectInvalid extends AppError {
  override readonly name = 'ObjectInvalid'
  readonly kind = 'internal'
}

/** 429, or 403 with reason "exceeded quota" is PermissionDenied: this one is the server asking to slow down. */
export class ApiThrottled extends AppError {
  override readonly name = 'ApiThrottled'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** 5xx of the API server. */
export class ApiUnavailable extends AppError {
  override readonly name = 'ApiUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The `kube-system` uid is not the registered one: another cluster answers at this address. */
export class ClusterIdentityChanged extends AppError {
  override readonly name = 'ClusterIdentityChanged'
  readonly kind = 'conflict'
}

/** A sealed connection can't be read back: written by another version, or damaged. */
export class StoredConnectionInvalid extends AppError {
  override readonly name = 'StoredConnectionInvalid'
  readonly kind = 'internal'
}
