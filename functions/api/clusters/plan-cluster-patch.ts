import type { Cluster, ClusterObservation } from '../../domain/cluster.ts'
import type { ClusterCapabilities } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import { CREDENTIAL_TAKEN, SETTLED, stateFault } from './cluster-state.ts'
import { demandNodesMade } from './driver-rules.ts'

const demandCapable = ({ driver }: Cluster, patch: ClusterPatch, { needsKubeconfig }: ClusterCapabilities): void => {
  if (patch.kubeconfig === undefined || needsKubeconfig) return
  throw new InvalidRequest(`"/kubeconfig" of this cluster can't be changed: its driver ${driver} takes none.`)
}

const demandUnset = (cluster: Cluster, { added }: ClusterPatch): void => {
  const isSet = (attribute: string): boolean => !attribute.startsWith('health_') || cluster.observation !== null
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

const demandOneTask = ({ kubeconfig, nodeCount }: ClusterPatch): void => {
  if (kubeconfig === undefined || nodeCount === undefined) return
  throw new InvalidRequest('"/kubeconfig" and "/node_count" can\'t be changed at once. Send two requests.')
}

/** Refuses a patch that the cluster does not take, or not in its state (magnum-rest.md 4.3). @throws InvalidRequest, StateConflict */
export const demandPatchable = (cluster: Cluster, patch: ClusterPatch, drivers: DriverDescriptions): void => {
  demandCapable(cluster, patch, drivers.cluster.resolve(cluster.driver).capabilities)
  if (patch.nodeCount !== undefined) demandNodesMade(drivers, cluster, '"/node_count"')
  demandUnset(cluster, patch)
  demandOneTask(patch)
  const fault = stateFault(cluster, patch.kubeconfig === undefined ? SETTLED : CREDENTIAL_TAKEN)
  if (fault !== null) throw new StateConflict(fault)
}

/** The observation with the health that a caller reports (magnum-auto-healer); null when the patch reports none. */
export const reportedHealth = (cluster: Cluster, patch: ClusterPatch, now: Date): ClusterObservation | null => {
  if (patch.healthStatus === undefined && patch.healthReason === undefined) return null
  const before = cluster.observation
  return {
    version: before?.version ?? null,
    nodeCount: before?.nodeCount ?? 0,
    masterCount: before?.masterCount ?? 0,
    observedAt: now.toISOString(),
    healthStatus: patch.healthStatus ?? before?.healthStatus ?? 'UNKNOWN',
    healthReason: patch.healthReason ?? before?.healthReason ?? {},
  }
}
