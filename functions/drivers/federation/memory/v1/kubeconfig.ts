import { Secret } from '../../../../domain/secret.ts'
import type { FederationContext, KubeconfigRequest } from '../../../contract/federation-driver.ts'

/** A kubeconfig of the usual form, for a server that nobody has. JSON is YAML too. */
export const kubeconfigFor = (
  { federation, now }: FederationContext,
  { user, seconds }: KubeconfigRequest,
): { kubeconfig: Secret; expiresAt: string } => {
  const expiresAt = new Date(Date.parse(now()) + seconds * 1000).toISOString()
  const name = federation.name
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: `https://${federation.id}.memory.invalid` } }],
    users: [{ name: user, user: { token: `memory-token-${federation.id}-${user}-${expiresAt}` } }],
    contexts: [{ name, context: { cluster: name, user } }],
  }
  return { kubeconfig: new Secret(JSON.stringify(config, null, 2)), expiresAt }
}
