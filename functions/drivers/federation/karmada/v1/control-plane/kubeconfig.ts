import { Secret } from '../../../../../core/values/secret.ts'
import { writeKubeconfig } from '../../../../../kubernetes/kubeconfig/write-kubeconfig.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { FederationContext, FederationDriver, KubeconfigRequest } from '../../../../contract/federation-driver.ts'
import { stateOf } from '../model/names.ts'
import { readPki } from '../pki/pki.schema.ts'
import { boundGroup, subjectName } from './people.ts'

/** In front of the user, so that none can be called `system:…`, which Kubernetes keeps for itself. */
const USER_PREFIX = 'fedplane:user:'

const userOf = (user: string): string => subjectName(`${USER_PREFIX}${user}`)

/**
 * A kubeconfig with a client certificate of the user for a while. Its group is bound to the role inside of the control plane: without the binding,
 * certificates that are out grant nothing.
 *
 * @throws CredentialMissing before the control plane has an address and certificates, and as `boundGroup`
 */
export const kubeconfig = async (
  context: FederationContext,
  { user, seconds, ...rights }: KubeconfigRequest,
): Promise<Awaited<ReturnType<NonNullable<FederationDriver['kubeconfig']>>>> => {
  const [pki, { endpoint }] = [await readPki(context), stateOf(context.federation)]
  if (pki === undefined || endpoint === undefined) {
    throw new CredentialMissing('The control plane has no address and no certificates yet. Wait until it is created.')
  }
  const group = await boundGroup(context, rights)
  const { certificate: certificatePem, key } = pki.authorities.karmada
  const now = new Date(context.now())
  const { issueCertificate } = await import('../../../../../x509/issue-certificate.ts')
  const made = await issueCertificate(
    { commonName: userOf(user), organizations: [group], usages: ['client'], lifetimeSeconds: seconds },
    { certificatePem, privateKey: new Secret(key) },
    now,
  )
  const name = context.federation.name
  const config = writeKubeconfig({
    name,
    user: userOf(user),
    namespace: rights.namespace,
    server: endpoint,
    caPem: certificatePem,
    credential: { certificatePem: made.certificatePem, keyPem: made.privateKey.reveal() },
  })
  return {
    kubeconfig: new Secret(config),
    expiresAt: new Date(now.getTime() + seconds * 1000).toISOString(),
  }
}
