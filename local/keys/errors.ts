import { AppError } from '../../functions/core/values/app-error.ts'

/** The key file can't be used: others can read it, it has not 32 bytes, or it can't be read. */
export class KeyFileUnusable extends AppError {
  override readonly name = 'KeyFileUnusable'
  readonly kind = 'internal'
}
