import { AppError } from '../core/values/app-error.ts'

/** A policy file can't be used: the message names the file, the position and the fault. */
export class PolicyTextInvalid extends AppError {
  override readonly name = 'PolicyTextInvalid'
  readonly kind = 'invalid'
}

/** Cedar could not take the question: a fault of ours. The request is refused. */
export class PolicyNotDecided extends AppError {
  override readonly name = 'PolicyNotDecided'
  readonly kind = 'internal'
}
