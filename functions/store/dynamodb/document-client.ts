import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export type DocumentClientOptions = {
  region: string
  /** Of an embedded or emulated database; absent means AWS with the credentials of the environment. */
  endpoint?: string
  /** The SDK's own attempts for throttling and faults of the network; then the store says `StoreBusy`. Default 10. */
  maxAttempts?: number
}

/** An embedded database checks no signature, but the SDK wants something to sign with. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }

/**
 * An embedded database is slower with more connections than it can serve at once. That hundreds of requests then wait for one is no fault
 * which the SDK should warn of.
 */
const LOCAL_CONNECTIONS = { httpAgent: { maxSockets: 16 }, socketAcquisitionWarningTimeout: 60_000 }

/** DynamoDB client for the stores. `destroy()` it when the process goes on without it. */
export const openDocumentClient = ({
  region,
  endpoint,
  maxAttempts = 10,
}: DocumentClientOptions): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    region,
    maxAttempts,
    ...(endpoint === undefined ? {} : { endpoint, credentials: LOCAL_CREDENTIALS, requestHandler: LOCAL_CONNECTIONS }),
  })
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
}
