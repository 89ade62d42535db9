import { AppError } from '../functions/core/values/app-error.ts'

/** An option of the command line or a setting of the environment is wrong. */
export class OptionInvalid extends AppError {
  override readonly name = 'OptionInvalid'
  readonly kind = 'invalid'
}
