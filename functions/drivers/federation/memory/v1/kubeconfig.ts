import { Secret } from '../../../../core/values/secret.ts'
import { writeKubeconfig } from '../../../../kubernetes/kubeconfig/write-kubeconfig.ts'
import type { FederationContext, KubeconfigRequest } from '../../../contract/federation-driver.ts'

/** A kubeconfig of the usual form, for a server that nobody has. */
export const kubeconfigFor = (
  { federation, now }: FederationContext,
  { user, seconds }: KubeconfigRequest,
): { kubeconfig: Secret; expiresAt: string } => {
  const expiresAt = new Date(Date.parse(now()) + seconds * 1000).toISOString()
  const kubeconfig = writeKubeconfig({
    name: federation.name,
    user,
    server: `https://${federation.id}.memory.invalid`,
    credential: { token: `memory-token-${federation.id}-${user}-${expiresAt}` },
  })
  return { kubeconfig: new Secret(kubeconfig), expiresAt }
}
