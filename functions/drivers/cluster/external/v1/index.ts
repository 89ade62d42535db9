import { CLUSTER_CONTRACT, type ClusterDriver } from '../../../contract/cluster-driver.ts'
import { connectionOf } from './connection.ts'
import { observe } from './observe.ts'
import { CREATE_PHASES, UPDATE_PHASES } from './phases.ts'

/** Clusters that somebody else made: registered with a kubeconfig, watched, forgotten. Nothing in them is changed. */
export const externalV1: ClusterDriver = {
  id: 'external@1',
  contract: CLUSTER_CONTRACT,
  description: 'Registers a cluster from anywhere by its kubeconfig, watches its health, and forgets it on delete.',
  capabilities: { needsKubeconfig: true, kubernetesApi: true, resize: false },
  phases: { create: CREATE_PHASES, update: UPDATE_PHASES, delete: [] },
  connection: connectionOf,
  observe,
}
