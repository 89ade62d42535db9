import { shortId } from '../../../../core/values/ids.ts'
import {
  FEDERATION_CONTRACT,
  type FederationDriverDescription,
} from '../../../contract/federation-driver-description.ts'
import { PROPERTIES, validateChange, validateProperties } from './schema.ts'

/** Namespace of a federation in its host. */
export const namespaceName = (federationId: string): string => `fedplane-${shortId(federationId)}`

/** What memory@1 for federations says. */
export const memoryFederationV1Description = {
  id: 'memory@1',
  contract: FEDERATION_CONTRACT,
  description: 'Plays a federation without any cluster: for tests and for trying the API out.',
  capabilities: {
    hostAsMember: true,
    usesKubernetesApi: false,
    kubeconfig: true,
    workloads: true,
    cordon: true,
    revoke: true,
  },
  findWorkloads: 'Look for Deployment workload there.',
  properties: PROPERTIES,
  validateProperties,
  validateChange,
  // It touches no cluster.
  rights: () => ({ host: 'view', member: 'view' }),
  kubeconfigs: {
    roles: { viewer: ['all', 'namespace'], editor: ['all', 'namespace'], admin: ['all', 'namespace'] },
  },
  hostNamespaces: ({ id }) => [namespaceName(id)],
} satisfies FederationDriverDescription
