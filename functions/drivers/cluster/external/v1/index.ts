import type { ClusterDriver } from '../../../contract/cluster-driver.ts'
import { connectionOf } from './connection.ts'
import { externalV1Description } from './description.ts'
import { observe } from './observe.ts'
import { CREATE_PHASES, UPDATE_PHASES } from './phases.ts'

/** Clusters that somebody else made: registered with a kubeconfig, watched, forgotten. Nothing in them is changed. */
export const externalV1: ClusterDriver = {
  ...externalV1Description,
  phases: { create: CREATE_PHASES, update: { credential: UPDATE_PHASES }, delete: [] },
  connection: connectionOf,
  observe,
}
