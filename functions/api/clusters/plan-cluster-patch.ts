import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { listInWords } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import { CREDENTIAL_TAKEN, RESIZABLE, SETTLED, stateFault } from './cluster-state.ts'
import { demandNodesMade } from './driver-rules.ts'

const demandCapable = (driver: ClusterDriverDescription, patch: ClusterPatch): void => {
  if (patch.kubeconfig === undefined || driver.capabilities.needsKubeconfig) return
  const advice = driver.registration === undefined ? '' : ` ${driver.registration.advice.credential}`
  throw new InvalidRequest(
    `"/kubeconfig" of this cluster can't be changed: its driver ${driver.id} takes none.${advice}`,
  )
}

const demandUnset = (cluster: Cluster, { added }: ClusterPatch): void => {
  const isSet = (attribute: string): boolean => {
    if (attribute === 'management') return (cluster.management ?? null) !== null
    return !attribute.startsWith('health_') || cluster.observation !== null
  }
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

const demandOneTask = ({ kubeconfig, nodeCount, management }: ClusterPatch): void => {
  const asked = [
    ...(kubeconfig === undefined ? [] : ['"/kubeconfig"']),
    ...(nodeCount === undefined ? [] : ['"/node_count"']),
    ...(management === undefined ? [] : ['"/management"']),
  ]
  if (asked.length < 2) return
  throw new InvalidRequest(`${listInWords(asked)} can't be changed at once. Send ${asked.length} requests.`)
}

/** Which also mends what failed, and waits for what runs. */
const RESIZE_INSTEAD = ' A resize (POST /v1/clusters/{cluster}/actions/resize) is taken now, too.'

/** Refuses a patch that the cluster does not take, or not in its state (magnum-rest.md 4.3). @throws InvalidRequest, StateConflict */
export const demandPatchable = (cluster: Cluster, patch: ClusterPatch, drivers: DriverDescriptions): void => {
  demandCapable(drivers.cluster.resolve(cluster.driver), patch)
  if (patch.nodeCount !== undefined) demandNodesMade(drivers, cluster, '"/node_count"')
  demandUnset(cluster, patch)
  demandOneTask(patch)
  const mends = patch.kubeconfig !== undefined || patch.management !== undefined
  const fault = stateFault(cluster, mends ? CREDENTIAL_TAKEN : SETTLED)
  const advice = patch.nodeCount !== undefined && RESIZABLE.includes(cluster.status) ? RESIZE_INSTEAD : ''
  if (fault !== null) throw new StateConflict(`${fault}${advice}`)
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
