import { CLUSTER_CONTRACT, type ClusterDriverDescription } from '../../../contract/cluster-driver-description.ts'
import { check } from './checks/check.ts'
import { infrastructureOf, MANAGEMENT_FIELDS } from './model/infrastructure.ts'
import { federationFault } from './model/state.schema.ts'

/** What capi@1 says. */
export const capiV1Description = {
  id: 'capi@1',
  contract: CLUSTER_CONTRACT,
  description:
    'Makes clusters through Cluster API on a management cluster: machines of OpenStack, or simulated ones for development.',
  capabilities: {
    needsKubeconfig: false,
    kubernetesApi: true,
    makesNodes: true,
    certificateAuthority: true,
    needsManagement: true,
  },
  builtinTemplate: null,
  management: { fields: MANAGEMENT_FIELDS },
  needsCloudCredential: ({ management }) => infrastructureOf(management?.options ?? {}) === 'openstack',
  // Cluster API's in-memory provider knows no other; everything else knows both.
  authorityKeys: 'rsa',
  // Magnum's own default is none that it makes.
  defaultNetworkDriver: 'calico',
  federationFault,
  updates: ['resize', 'node-group-create', 'node-group-update', 'node-group-delete', 'upgrade', 'rotate-credential'],
  check,
} satisfies ClusterDriverDescription
