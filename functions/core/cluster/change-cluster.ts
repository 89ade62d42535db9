import { isDeepStrictEqual } from 'node:util'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { listInWords } from '../values/wording.ts'
import type { Cluster, ClusterObservation, HealthStatus, ManagementRole } from './cluster.ts'
import { CREDENTIAL_TAKEN, RESIZABLE, requireNodesMade, SETTLED, stateFault } from './cluster-rules.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import { reportObservation } from './observed-health.ts'
import { type NewKubeconfig, replaceKubeconfig } from './replace-kubeconfig.ts'
import { resizeWorkers } from './resize-cluster.ts'
import { setManagement } from './set-management.ts'

/** What a change of a cluster asks for; absent keys stay as they are. */
export type DesiredChange = {
  /** Of the default group of workers. */
  nodeCount?: number
  /** All that it has from then on. */
  labels?: Record<string, string>
  healthStatus?: HealthStatus
  healthReason?: Record<string, string>
  /** Takes a kubeconfig for the cluster. @throws KubeconfigRejected, AddressForbidden, PolicyForbids */
  kubeconfig?: (cluster: Cluster) => Promise<NewKubeconfig>
  /** Reads its role as a management cluster. Null: none any more. @throws InvalidRequest */
  management?: (() => ManagementRole) | null
  /** Attributes that have to be unset before. */
  added: readonly string[]
}

/** True for a change that changes nothing, which is accepted (magnum-rest.md 4.3). */
const isEmpty = (desired: DesiredChange): boolean => Object.keys(desired).length === 1

const requireCapable = (driver: ClusterDriverDescription, desired: DesiredChange): void => {
  if (desired.kubeconfig === undefined || driver.capabilities.needsKubeconfig) return
  const advice = driver.registration === undefined ? '' : ` ${driver.registration.advice.credential}`
  throw new InvalidRequest(
    `"/kubeconfig" of this cluster can't be changed: its driver ${driver.id} takes none.${advice}`,
  )
}

const requireUnset = (cluster: Cluster, { added }: DesiredChange): void => {
  const isSet = (attribute: string): boolean => {
    if (attribute === 'labels') return Object.keys(cluster.magnum.labels).length > 0
    if (attribute === 'management') return (cluster.management ?? null) !== null
    return !attribute.startsWith('health_') || cluster.observation !== null
  }
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

/** Labels of a cluster that fedplane makes say how: they follow its template. @throws InvalidRequest */
const requireLabelsFree = ({ id, capabilities }: ClusterDriverDescription, { labels }: DesiredChange): void => {
  if (labels === undefined || !capabilities.makesNodes) return
  throw new InvalidRequest(
    `Cannot change "/labels". Only "/node_count" and health of this cluster can be changed: its driver ${id} makes nodes by its labels. They follow its template with an upgrade (POST /v1/clusters/{cluster}/actions/upgrade).`,
  )
}

/** Stored at once; what selects clusters by them learns of it by the event. */
const relabel = async (
  { stores, clock, ...ports }: Ports,
  cluster: Cluster,
  labels: Record<string, string>,
): Promise<void> => {
  if (isDeepStrictEqual(labels, cluster.magnum.labels)) return
  const said = { action: 'update', outcome: 'success', reason: 'LabelsChanged', notify: false } as const
  const message = `The labels of cluster ${cluster.name} changed.`
  await stores.commit([
    stores.clusters.change(cluster, { magnum: { ...cluster.magnum, labels }, updatedAt: clock.now().toISOString() }),
    ownerEvent({ ...ports, stores, clock }, 'cluster', cluster, { ...said, message }),
  ])
}

const requireOneTask = ({ kubeconfig, nodeCount, management, labels }: DesiredChange): void => {
  const asked = [
    ...(kubeconfig === undefined ? [] : ['"/kubeconfig"']),
    ...(nodeCount === undefined ? [] : ['"/node_count"']),
    ...(management === undefined ? [] : ['"/management"']),
    ...(labels === undefined ? [] : ['"/labels"']),
  ]
  if (asked.length < 2) return
  throw new InvalidRequest(`${listInWords(asked)} can't be changed at once. Send ${asked.length} requests.`)
}

/** Which also repairs what failed, and waits for what runs. */
const RESIZE_INSTEAD = ' A resize (POST /v1/clusters/{cluster}/actions/resize) is taken now, too.'

/** Refuses a change that the cluster does not take, or not in its state (magnum-rest.md 4.3). @throws InvalidRequest, StateConflict */
const requireChangeable = (cluster: Cluster, desired: DesiredChange, drivers: DriverDescriptions): void => {
  requireCapable(drivers.cluster.resolve(cluster.driver), desired)
  requireLabelsFree(drivers.cluster.resolve(cluster.driver), desired)
  if (desired.nodeCount !== undefined) requireNodesMade(drivers, cluster, '"/node_count"')
  requireUnset(cluster, desired)
  requireOneTask(desired)
  const repairs = desired.kubeconfig !== undefined || desired.management !== undefined
  const fault = stateFault(cluster, repairs ? CREDENTIAL_TAKEN : SETTLED)
  const advice = desired.nodeCount !== undefined && RESIZABLE.includes(cluster.status) ? RESIZE_INSTEAD : ''
  if (fault !== null) throw new StateConflict(`${fault}${advice}`)
}

/** The observation with the health that a caller reports (magnum-auto-healer); null when none is reported. */
const reportedHealth = (cluster: Cluster, desired: DesiredChange, now: Date): ClusterObservation | null => {
  if (desired.healthStatus === undefined && desired.healthReason === undefined) return null
  const before = cluster.observation
  return {
    version: before?.version ?? null,
    nodeCount: before?.nodeCount ?? 0,
    masterCount: before?.masterCount ?? 0,
    observedAt: now.toISOString(),
    healthStatus: desired.healthStatus ?? before?.healthStatus ?? 'UNKNOWN',
    healthReason: desired.healthReason ?? before?.healthReason ?? {},
  }
}

/** Reads, decides, and starts what there is to start. */
const round = async (ports: Ports, { findCluster, request }: ChangeRules, desired: DesiredChange): Promise<Cluster> => {
  const cluster = await findCluster()
  if (isEmpty(desired)) return cluster
  requireChangeable(cluster, desired, ports.drivers)
  const { kubeconfig, nodeCount, management, labels } = desired
  if (kubeconfig !== undefined) await replaceKubeconfig(ports, cluster, await kubeconfig(cluster))
  if (nodeCount !== undefined) await resizeWorkers(ports, cluster, nodeCount, request)
  if (labels !== undefined) await relabel(ports, cluster, labels)
  if (management !== undefined) await setManagement(ports, cluster, management)
  return cluster
}

/**
 * Changes a cluster: another kubeconfig or number of workers begins an operation, a role or a health that is reported is stored at once
 * (magnum-rest.md 4.3).
 *
 * @throws InvalidRequest, StateConflict, and what `replaceKubeconfig`, `resizeWorkers` and `setManagement` throw
 */
export const changeCluster = async (ports: Ports, rules: ChangeRules, desired: DesiredChange): Promise<Cluster> => {
  const cluster = await retryOnConflict(() => round(ports, rules, desired))
  const health = reportedHealth(cluster, desired, ports.clock.now())
  if (health !== null) await reportObservation(ports, cluster, health)
  return cluster
}
