import { AppError } from '../../functions/core/values/app-error.ts'

/** The settings of a deployment are wrong. The message names them. */
export class SettingsInvalid extends AppError {
  override readonly name = 'SettingsInvalid'
  override readonly kind = 'invalid'
}
