import { AppError } from '../../../../core/values/app-error.ts'

/** AWS refuses the call: the process's own rights, the role's, or its trust policy. */
export class AwsAccessDenied extends AppError {
  override readonly name = 'AwsAccessDenied'
  readonly kind = 'conflict'
}

/** AWS does not know the credentials, or they are expired, or the clock of this process is wrong. */
export class AwsCredentialsRejected extends AppError {
  override readonly name = 'AwsCredentialsRejected'
  readonly kind = 'conflict'
}

/** AWS refuses what was asked for another reason; the message has its code. */
export class AwsRequestRefused extends AppError {
  override readonly name = 'AwsRequestRefused'
  readonly kind = 'conflict'
}

/** AWS did not answer, or is throttling us, or failed. */
export class AwsUnavailable extends AppError {
  override readonly name = 'AwsUnavailable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** There is no EKS cluster of that name in that Region and account. */
export class EksClusterNotFound extends AppError {
  override readonly name = 'EksClusterNotFound'
  readonly kind = 'unavailable'
}

/** The EKS cluster has no API server to talk to: it is being deleted, or failed. */
export class EksClusterNotActive extends AppError {
  override readonly name = 'EksClusterNotActive'
  readonly kind = 'unavailable'
}

/** What is stored of the registration can't be read back: written by another version, or damaged. */
export class RegistrationUnreadable extends AppError {
  override readonly name = 'RegistrationUnreadable'
  readonly kind = 'internal'
}

/** The operator lets the project use neither that role nor, by the process's own credentials, that cluster. */
export class AwsUseNotGranted extends AppError {
  override readonly name = 'AwsUseNotGranted'
  readonly kind = 'forbidden'
}

/** Every project of the installation could use the role: its trust policy asks for neither session name nor external ID. */
export class AwsRoleOpenToAll extends AppError {
  override readonly name = 'AwsRoleOpenToAll'
  readonly kind = 'forbidden'
}
