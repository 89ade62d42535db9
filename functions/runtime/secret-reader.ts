import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SecretUnavailable } from '../authorizer/settings.schema.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'

/** Reads the text of a secret now; whoever uses it keeps it. */
export type SecretReader = (signal: AbortSignal) => Promise<string>

/** A secret may be in another Region than the function. */
const regionOf = (arn: string): string => arn.split(':')[3] ?? ''

const textOf = async (client: SecretsManagerClient, arn: string, abortSignal: AbortSignal): Promise<string> => {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }), { abortSignal })
    return SecretString ?? ''
  } catch (cause) {
    throw new SecretUnavailable(`The secret ${arn} can't be read: check that it exists and the function's rights.`, {
      cause,
    })
  }
}

/**
 * Reads a secret of Secrets Manager by its ARN.
 *
 * @returns throws SecretUnavailable
 */
export const secretReader =
  (arn: string, client = new SecretsManagerClient({ region: regionOf(arn), ...AWS_CLIENT_OPTIONS })): SecretReader =>
  (signal) =>
    textOf(client, arn, signal)
