import { AppError } from '../../functions/core/values/app-error.ts'

/** Another running process uses the data directory. */
export class DataDirectoryInUse extends AppError {
  override readonly name = 'DataDirectoryInUse'
  readonly kind = 'conflict'
}

/** The data directory can't be made, or its files can't be read or written. */
export class DataDirectoryUnusable extends AppError {
  override readonly name = 'DataDirectoryUnusable'
  readonly kind = 'invalid'
}
