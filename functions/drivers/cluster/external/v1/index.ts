import { CLUSTER_CONTRACT, type ClusterDriver } from '../../../contract/cluster-driver.ts'
import { connectionOf } from './connection.ts'
import { observe } from './observe.ts'
import { CREATE_PHASES, UPDATE_PHASES } from './phases.ts'

/** Clusters that somebody else made: registered with a kubeconfig, watched, forgotten. Nothing in them is changed. */
export const externalV1: ClusterDriver = {
  id: 'external@1',
  contract: CLUSTER_CONTRACT,
  description: 'Registers a cluster from anywhere by its kubeconfig, watches its health, and forgets it on delete.',
  capabilities: { needsKubeconfig: true, kubernetesApi: true, makesNodes: false, certificateAuthority: false },
  builtinTemplate: { id: 'fed91a4e-0000-4000-8000-000000000001', name: 'external' },
  check: () => [],
  phases: { create: CREATE_PHASES, update: { credential: UPDATE_PHASES }, delete: [] },
  connection: connectionOf,
  observe,
}
