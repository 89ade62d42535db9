import { AppError } from '../../functions/domain/app-error.ts'

/** No DynamoDB: neither an endpoint was given, nor is there a program to start. */
export class DynamoDbProgramNotFound extends AppError {
  override readonly name = 'DynamoDbProgramNotFound'
  readonly kind = 'unavailable'
}

/** The embedded database ended or did not answer in time. */
export class EmbeddedDynamoDbFailed extends AppError {
  override readonly name = 'EmbeddedDynamoDbFailed'
  readonly kind = 'unavailable'
}

/** Another running process uses the data directory. */
export class DataDirectoryInUse extends AppError {
  override readonly name = 'DataDirectoryInUse'
  readonly kind = 'conflict'
}

/** The data directory can't be made, or its files can't be written. */
export class DataDirectoryUnusable extends AppError {
  override readonly name = 'DataDirectoryUnusable'
  readonly kind = 'invalid'
}
