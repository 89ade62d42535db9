import { CLUSTER_CONTRACT, type ClusterDriverDescription } from '../../../contract/cluster-driver-description.ts'
import { check } from './check.ts'

/** What memory@1 for clusters says. */
export const memoryClusterV1Description = {
  id: 'memory@1',
  contract: CLUSTER_CONTRACT,
  description: 'Plays the whole life of a cluster without one: for tests and for trying the API out.',
  capabilities: {
    needsKubeconfig: false,
    kubernetesApi: false,
    makesNodes: true,
    certificateAuthority: true,
    needsManagement: false,
  },
  builtinTemplate: null,
  updates: [
    'resize',
    'node-group-create',
    'node-group-update',
    'node-group-delete',
    'upgrade',
    'rotate-authority',
    'rotate-credential',
  ],
  check,
} satisfies ClusterDriverDescription
