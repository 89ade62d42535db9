import {
  FEDERATION_CONTRACT,
  type FederationDriverDescription,
} from '../../../contract/federation-driver-description.ts'
import { faultsOf, inventoryNamespace, PROPERTIES, parseProperties, rightsOf } from './schema.ts'

/** What clusterprofile@1 says. */
export const clusterProfileV1Description = {
  id: 'clusterprofile@1',
  contract: FEDERATION_CONTRACT,
  description:
    'Keeps a SIG-Multicluster inventory in the host: one ClusterProfile and one token Secret for each member, for Argo CD, Kueue ' +
    'MultiKueue, multicluster-runtime and Headlamp.',
  capabilities: { hostAsMember: true, usesKubernetesApi: true, kubeconfig: false, workloads: false, revoke: true },
  properties: PROPERTIES,
  validateProperties: faultsOf,
  validateChange: () => [],
  rights: rightsOf,
  hostNamespaces: ({ id }) => [inventoryNamespace(id)],
  // Each has a token Secret of each member.
  credentialNamespaces: ({ properties }) => parseProperties(properties).consumerNamespaces,
} satisfies FederationDriverDescription
