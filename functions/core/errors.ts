import { AppError } from './values/app-error.ts'

/** The entity has another operation by now, or is gone: this execution has nothing more to say. Caught by every flow. */
export class OperationSuperseded extends AppError {
  override readonly name = 'OperationSuperseded'
  readonly kind = 'conflict'
}

/** An execution that was replaced has been told to stop and still runs. */
export class ExecutionStillRunning extends AppError {
  override readonly name = 'ExecutionStillRunning'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** A cluster that a federation needs is no longer registered. */
export class ClusterGone extends AppError {
  override readonly name = 'ClusterGone'
  readonly kind = 'not-found'
}

/** A new endpoint answers with the registered identity, and nothing proves that it is the registered cluster. */
export class ClusterIdentityNotProved extends AppError {
  override readonly name = 'ClusterIdentityNotProved'
  readonly kind = 'conflict'
}

/** As many changes wait on the cluster as may. */
export class QueueFull extends AppError {
  override readonly name = 'QueueFull'
  readonly kind = 'conflict'
}
