import { CLUSTER_CONTRACT, type ClusterDriverDescription } from '../../../contract/cluster-driver-description.ts'

/** What external@1 says. */
export const externalV1Description = {
  id: 'external@1',
  contract: CLUSTER_CONTRACT,
  description: 'Registers a cluster from anywhere by its kubeconfig, watches its health, and forgets it on delete.',
  capabilities: {
    needsKubeconfig: true,
    kubernetesApi: true,
    makesNodes: false,
    certificateAuthority: false,
    needsManagement: false,
  },
  builtinTemplate: { id: 'fed91a4e-0000-4000-8000-000000000001', name: 'external' },
  updates: ['credential'],
  check: () => [],
} satisfies ClusterDriverDescription
