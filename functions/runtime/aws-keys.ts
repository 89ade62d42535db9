import {
  DecryptCommand,
  GenerateDataKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms'
import type { KeyService, Ports, TablePorts } from '../core/ports.ts'
import { awsGrants } from '../drivers/contract/aws-access.ts'
import { type AddressPolicy, restrictedPolicy } from '../kubernetes/address-guard.ts'
import { CredentialUnreadable } from '../store/errors.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { awsTablePorts } from './aws-table-ports.ts'
import type { DeliveriesEnv, SelectorsEnv } from './env.ts'
import { KeyServiceUnavailable } from './errors.ts'

const present = (bytes: Uint8Array | undefined): Uint8Array => {
  if (!bytes) throw new KeyServiceUnavailable('KMS answered without a key; try again later.')
  return bytes
}

const explain = (error: unknown): Error => {
  if (error instanceof KeyServiceUnavailable) return error
  if (error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException) {
    return new CredentialUnreadable(
      'KMS refuses to unwrap a data key: it was wrapped by another key or for another context.',
      {
        cause: error,
      },
    )
  }
  return new KeyServiceUnavailable('KMS did not answer as expected; try again later.', { cause: error })
}

/** Data keys of 256 bits, wrapped by one KMS key. The context is checked by KMS and shown in CloudTrail, so it holds no secret. */
export const kmsKeys = (client: Pick<KMSClient, 'send'>, keyId: string): KeyService => ({
  async generateDataKey(context) {
    try {
      const answer = await client.send(
        new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: 'AES_256', EncryptionContext: context }),
      )
      return { plaintext: present(answer.Plaintext), wrapped: present(answer.CiphertextBlob) }
    } catch (error) {
      throw explain(error)
    }
  },
  async decrypt(wrapped, context) {
    try {
      const answer = await client.send(
        new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext: context }),
      )
      return present(answer.Plaintext)
    } catch (error) {
      throw explain(error)
    }
  },
})

/** Which addresses may be connected to on AWS: public ones, and the networks that the operator lists. @throws for text that is no CIDR */
export const addressPolicyOf = ({ ALLOWED_NETWORKS }: Pick<DeliveriesEnv, 'ALLOWED_NETWORKS'>): AddressPolicy =>
  restrictedPolicy(
    ALLOWED_NETWORKS.split(',')
      .map((network) => network.trim())
      .filter((network) => network !== ''),
  )

/** Ports on AWS of a function that has keys and reaches no clusters, so that it carries no drivers. Makes the clients, calls nothing. */
export const awsKeyPorts = (env: SelectorsEnv): TablePorts =>
  awsTablePorts(env, kmsKeys(new KMSClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.KMS_KEY_ARN))

/** The same, for one that posts to addresses. */
export const awsKeyHolder = (env: DeliveriesEnv): TablePorts & Pick<Ports, 'addressPolicy' | 'triggerBuses'> => ({
  ...awsKeyPorts(env),
  addressPolicy: addressPolicyOf(env),
  triggerBuses: awsGrants(env.TRIGGER_BUSES),
})
