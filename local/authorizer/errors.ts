import { AppError } from '../../functions/core/values/app-error.ts'

/** The file of tokens can't be read or does not have the expected form. The message names the fault and no token. */
export class TokenFileInvalid extends AppError {
  override readonly name = 'TokenFileInvalid'
  readonly kind = 'invalid'
}

/** The file of users can't be read or does not have the expected form. The message names the fault and no password. */
export class UserFileInvalid extends AppError {
  override readonly name = 'UserFileInvalid'
  readonly kind = 'invalid'
}
