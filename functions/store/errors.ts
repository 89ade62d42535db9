import { AppError } from '../core/values/app-error.ts'

/** A conditional write lost: the item changed since it was read. Read again and decide again. */
export class RevisionConflict extends AppError {
  override readonly name = 'RevisionConflict'
  readonly kind = 'conflict'
  override readonly retryable = true
}

/** An item with this key is there already. */
export class AlreadyExists extends AppError {
  override readonly name = 'AlreadyExists'
  readonly kind = 'conflict'
}

/** The cluster is being deleted, or is gone, so nothing may start to use it. */
export class ClusterNotUsable extends AppError {
  override readonly name = 'ClusterNotUsable'
  readonly kind = 'conflict'
}

/** The cluster is host or member of a federation. */
export class ClusterInUse extends AppError {
  override readonly name = 'ClusterInUse'
  readonly kind = 'conflict'
}

/** A unique value (cluster uid, host namespace, Idempotency-Key) belongs to somebody else. `details.owner` names it where it may. */
export class ReservationTaken extends AppError {
  override readonly name = 'ReservationTaken'
  readonly kind = 'conflict'
}

/** What is stored under a key does not have the shape that this version knows. */
export class ItemCorrupt extends AppError {
  override readonly name = 'ItemCorrupt'
  readonly kind = 'internal'
}

/**
 * An item that leads to credentials is not as fedplane wrote it: somebody who may write the table changed it, or it is of a version that did not
 * protect it yet. Nothing of it is used.
 */
export class ItemAltered extends AppError {
  override readonly name = 'ItemAltered'
  readonly kind = 'internal'
}

/** The database refused for load after the SDK's own retries, or stayed in conflict after ours. */
export class StoreBusy extends AppError {
  override readonly name = 'StoreBusy'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** More than the database takes for one item, or for one transaction. What callers give is bounded before, so that this is what was stored earlier, or grew. */
export class ItemTooLarge extends AppError {
  override readonly name = 'ItemTooLarge'
  readonly kind = 'too-large'
}

/** A commit that can't be carried out whatever is stored: one item twice, or too many items. A fault of the caller's code. */
export class InvalidCommit extends AppError {
  override readonly name = 'InvalidCommit'
  readonly kind = 'internal'
}

/** A sealed secret that can't be opened: the key is not the one it was sealed with, or it was moved to another owner or altered. */
export class CredentialUnreadable extends AppError {
  override readonly name = 'CredentialUnreadable'
  readonly kind = 'internal'
}

/** Clusters use the template; `details.clusterCount` says how many. */
export class TemplateInUse extends AppError {
  override readonly name = 'TemplateInUse'
  readonly kind = 'invalid'
}

/** The template was removed meanwhile. */
export class TemplateGone extends AppError {
  override readonly name = 'TemplateGone'
  readonly kind = 'conflict'
}

/** Clusters are made through the management cluster; `details.clusterCount` says how many. */
export class ManagementInUse extends AppError {
  override readonly name = 'ManagementInUse'
  readonly kind = 'conflict'
}

/** Another management cluster is the default one of the driver; `details.owner` is its id. */
export class DefaultManagementTaken extends AppError {
  override readonly name = 'DefaultManagementTaken'
  readonly kind = 'conflict'
}

/** The cluster is no management cluster of the driver any more. */
export class ManagementGone extends AppError {
  override readonly name = 'ManagementGone'
  readonly kind = 'conflict'
}

/** The project has as many clusters as its quota allows. */
export class QuotaReached extends AppError {
  override readonly name = 'QuotaReached'
  readonly kind = 'forbidden'
}

/** The project has as many of something as this installation allows; `details` have `kind`, `used` and `limit`. */
export class ProjectLimitReached extends AppError {
  override readonly name = 'ProjectLimitReached'
  readonly kind = 'forbidden'
}
