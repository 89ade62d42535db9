import path from 'node:path'
import {
  DecryptCommand,
  GenerateDataKeyCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms'
import { keystoneBase } from '../authorizer/settings.ts'
import type { Cloud } from '../cloud/cloud.ts'
import { keystoneCloud } from '../cloud/keystone/keystone-cloud.ts'
import type { KeyService, Ports } from '../core/ports.ts'
import { awsGrants } from '../drivers/contract/aws-access.ts'
import { driverRegistry } from '../drivers/registry.ts'
import { type AddressPolicy, restrictedPolicy } from '../kubernetes/address-guard.ts'
import { connectWith } from '../kubernetes/connect.ts'
import { CredentialUnreadable } from '../store/errors.ts'
import { assetsIn } from './asset-folder.ts'
import { awsAccess } from './aws-access.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { awsTablePorts, enabledDrivers } from './aws-table-ports.ts'
import type { WorkerEnv } from './env.ts'
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

type CloudEnv = Pick<WorkerEnv, 'KEYSTONE_URL' | 'KEYSTONE_REGION' | 'KEYSTONE_CA_PEM' | 'KEYSTONE_CLUSTER_ROLES'>

/** The cloud of a function's environment; undefined where none is set. */
export const cloudOfEnv = ({
  KEYSTONE_URL: url,
  KEYSTONE_REGION: region,
  KEYSTONE_CA_PEM: caPem,
  KEYSTONE_CLUSTER_ROLES: roles,
}: CloudEnv): Cloud | undefined =>
  url === ''
    ? undefined
    : keystoneCloud({ base: keystoneBase(url), region: region || null, caPem: caPem || null, roles: roles.split(',') })

/** Which addresses may be connected to on AWS: public ones, and the networks that the operator lists. @throws for text that is no CIDR */
const addressPolicy = ({ ALLOWED_NETWORKS }: Pick<WorkerEnv, 'ALLOWED_NETWORKS'>): AddressPolicy =>
  restrictedPolicy(
    ALLOWED_NETWORKS.split(',')
      .map((network) => network.trim())
      .filter((network) => network !== ''),
  )

/** Assets beside the bundle, in `assets/`, as `infra/assets.ts` copies them. */
const bundledAssets = (): Ports['asset'] =>
  // Bundles are CommonJS: it is the folder of `index.js`.
  assetsIn(path.join(__dirname, 'assets'), 'Run npm run assets where fedplane is deployed from, and deploy it again.')

/** Ports on AWS of the functions that have rights on the KMS key, and so a way into clusters. Makes the clients, calls nothing. */
export const awsPorts = (env: WorkerEnv): Ports => {
  const policy = addressPolicy(env)
  const cloud = cloudOfEnv(env)
  return {
    ...awsTablePorts(env, kmsKeys(new KMSClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.KMS_KEY_ARN)),
    drivers: driverRegistry({ aws: awsAccess(awsGrants(env.EKS_GRANTS)) }, enabledDrivers(env)),
    connect: connectWith({ policy }),
    ...(cloud === undefined ? {} : { cloud }),
    addressPolicy: policy,
    asset: bundledAssets(),
  }
}
