import { AppError } from '../../core/values/app-error.ts'

/** No driver with this id is enabled. */
export class DriverNotFound extends AppError {
  override readonly name = 'DriverNotFound'
  readonly kind = 'invalid'
}

/** The cluster has no stored credential, or its driver has no Kubernetes API. */
export class CredentialMissing extends AppError {
  override readonly name = 'CredentialMissing'
  readonly kind = 'conflict'
}

/** The same cluster (kube-system uid) is registered in this project already; `details.clusterId` names it. */
export class ClusterAlreadyRegistered extends AppError {
  override readonly name = 'ClusterAlreadyRegistered'
  readonly kind = 'conflict'
}

/** An object with a name that we need is there and is not ours. */
export class ForeignObject extends AppError {
  override readonly name = 'ForeignObject'
  readonly kind = 'conflict'
}

/** What was asked for is for a namespace that is not there. */
export class NamespaceMissing extends AppError {
  override readonly name = 'NamespaceMissing'
  readonly kind = 'invalid'
}

/** The preflight refuses; the message lists every finding. */
export class PreflightFailed extends AppError {
  override readonly name = 'PreflightFailed'
  readonly kind = 'conflict'
}

/** The new credential could not be proved in the member. */
export class CredentialNotProved extends AppError {
  override readonly name = 'CredentialNotProved'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The member gives tokens that end so soon, or ended already, that they would have to be renewed for ever. */
export class TokenTooShortLived extends AppError {
  override readonly name = 'TokenTooShortLived'
  readonly kind = 'unavailable'
}

/** A memory@1 driver was asked to fail here. */
export class PlannedFailure extends AppError {
  override readonly name = 'PlannedFailure'
  readonly kind = 'unavailable'
}

/** A change that was accepted can't be made of the cluster as it is by now; the message says why. */
export class ChangeImpossible extends AppError {
  override readonly name = 'ChangeImpossible'
  readonly kind = 'conflict'
}

/** A file that a driver needs does not come with this installation; the message says how to get it. */
export class AssetMissing extends AppError {
  override readonly name = 'AssetMissing'
  readonly kind = 'conflict'
}

/** The process has no AWS credentials; the message says how to give it some. */
export class AwsCredentialsMissing extends AppError {
  override readonly name = 'AwsCredentialsMissing'
  readonly kind = 'conflict'
}

/** The cluster's driver needs a management cluster, and there is none, or it is no longer registered. */
export class ManagementMissing extends AppError {
  override readonly name = 'ManagementMissing'
  readonly kind = 'conflict'
}

/**
 * The management cluster can't be reached, does not answer as it should, or no longer lets us do what we have to: a fault of what makes the cluster, not of the
 * cluster. Phases wait for it until their deadline. To those whose clusters it makes the message names no more than its name, and
 * what is missing; `cause` has the fault.
 */
export class ManagementUnreachable extends AppError {
  override readonly name = 'ManagementUnreachable'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** The cluster lacks what a driver needs of a management cluster; the message has all that is missing. */
export class ManagementUnfit extends AppError {
  override readonly name = 'ManagementUnfit'
  readonly kind = 'invalid'
}

/** Whoever makes the cluster refused it, or a change of it, in a dry run; the message has his words. */
export class ChangeRefused extends AppError {
  override readonly name = 'ChangeRefused'
  readonly kind = 'invalid'
}
