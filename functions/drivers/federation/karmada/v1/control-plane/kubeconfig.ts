import { createHash } from 'node:crypto'
import { Secret } from '../../../../../core/values/secret.ts'
import { writeKubeconfig } from '../../../../../kubernetes/kubeconfig/write-kubeconfig.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { FederationContext, FederationDriver, KubeconfigRequest } from '../../../../contract/federation-driver.ts'
import { stateOf } from '../model/names.ts'
import { readPki } from '../pki/pki.schema.ts'
import { FEDERATION_ADMINS } from './rbac.ts'

/** Longest common name of a certificate (RFC 5280, ub-common-name). */
const COMMON_NAME_MAX = 64

/** In front of the user, so that none can be called `system:…`, which Kubernetes keeps for itself. */
const USER_PREFIX = 'fedplane:user:'

/** Hex digits that keep long names apart. */
const DIGEST_LENGTH = 16

const userOf = (user: string): string => {
  const whole = `${USER_PREFIX}${user}`
  if (Buffer.byteLength(whole) <= COMMON_NAME_MAX) return whole
  const digest = createHash('sha256').update(user).digest('hex').slice(0, DIGEST_LENGTH)
  return `${whole.replace(/[^\x20-\x7e]/g, '?').slice(0, COMMON_NAME_MAX - DIGEST_LENGTH - 1)}~${digest}`
}

/**
 * A kubeconfig with a client certificate of the user for a while. Its group is bound to cluster-admin inside of the control plane: without the binding,
 * certificates that are out grant nothing.
 *
 * @throws CredentialMissing before the control plane has an address and certificates
 */
export const kubeconfig = async (
  context: FederationContext,
  { user, seconds }: KubeconfigRequest,
): Promise<Awaited<ReturnType<NonNullable<FederationDriver['kubeconfig']>>>> => {
  const [pki, { endpoint }] = [await readPki(context), stateOf(context.federation)]
  if (pki === undefined || endpoint === undefined) {
    throw new CredentialMissing('The control plane has no address and no certificates yet. Wait until it is created.')
  }
  const { certificate: certificatePem, key } = pki.authorities.karmada
  const now = new Date(context.now())
  const { issueCertificate } = await import('../../../../../x509/issue-certificate.ts')
  const made = await issueCertificate(
    { commonName: userOf(user), organizations: [FEDERATION_ADMINS], usages: ['client'], lifetimeSeconds: seconds },
    { certificatePem, privateKey: new Secret(key) },
    now,
  )
  const name = context.federation.name
  const config = writeKubeconfig({
    name,
    user: userOf(user),
    server: endpoint,
    caPem: certificatePem,
    credential: { certificatePem: made.certificatePem, keyPem: made.privateKey.reveal() },
  })
  return {
    kubeconfig: new Secret(config),
    expiresAt: new Date(now.getTime() + seconds * 1000).toISOString(),
  }
}
