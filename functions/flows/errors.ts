import { AppError } from '../core/values/app-error.ts'

/** A phase, or the wait for a member, took longer than its deadline. The message has what it waited for last. */
export class PhaseTimedOut extends AppError {
  override readonly name = 'PhaseTimedOut'
  readonly kind = 'unavailable'
}

/** Members did not leave, so their federation stays. The message names them. */
export class MembersNotRemoved extends AppError {
  override readonly name = 'MembersNotRemoved'
  readonly kind = 'conflict'
}

/** A fault of fedplane itself: the log has it. Stands for every error that is not ours, so that none of their text is shown. */
export class StepFailed extends AppError {
  override readonly name = 'StepFailed'
  readonly kind = 'internal'
}

/** A phase was not begun, since the place where it works is out of reach. Never leaves the loop: it becomes a note. */
export class PhaseNotTried extends AppError {
  override readonly name = 'PhaseNotTried'
  readonly kind = 'unavailable'
}

/** A credential was due for renewal, and the driver had no new one. */
export class NothingToRenew extends AppError {
  override readonly name = 'NothingToRenew'
  readonly kind = 'unavailable'
}

/** The driver has no plan for what is to be done. */
export class TaskNotSupported extends AppError {
  override readonly name = 'TaskNotSupported'
  readonly kind = 'invalid'
}
