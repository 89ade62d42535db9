import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/**
 * DynamoDB client for the stores. `destroy()` it when the process goes on without it.
 *
 * @param settings of the SDK. Default of `maxAttempts`, its own for throttling and faults of the network, is 10; then the store says `StoreBusy`
 */
export const openDocumentClient = (settings: DynamoDBClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 10, ...settings }), {
    marshallOptions: { removeUndefinedValues: true },
  })
