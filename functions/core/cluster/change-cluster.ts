import { isDeepStrictEqual } from 'node:util'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { listInWords } from '../values/wording.ts'
import type {
  Cluster,
  ClusterChange,
  ClusterEndpoint,
  ClusterObservation,
  HealthStatus,
  ManagementRole,
} from './cluster.ts'
import { CREDENTIAL_TAKEN, RESIZABLE, requireNodesMade, SETTLED, stateFault } from './cluster-rules.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import { followSoon } from './observe-commands.ts'
import { reportObservation } from './observed-health.ts'
import { type NewKubeconfig, replaceKubeconfig } from './replace-kubeconfig.ts'
import { resizeWorkers } from './resize-cluster.ts'
import { setManagement } from './set-management.ts'

/** What a change of a cluster asks for; absent keys stay as they are. */
export type DesiredChange = {
  name?: string
  /** Takes the address of its API server as other clusters reach it; null: as fedplane does. @throws AddressForbidden, PolicyForbids */
  serverForPeers?: (cluster: Cluster) => Promise<string | null>
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
    if (attribute === 'server_for_peers') return (cluster.endpoint?.serverForPeers ?? null) !== null
    if (attribute === 'management') return (cluster.management ?? null) !== null
    return !attribute.startsWith('health_') || cluster.observation !== null
  }
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

/** Attributes of a cluster that are stored at once, with nothing to be done in it. */
const atOnce = ({ name, labels, serverForPeers }: DesiredChange): string[] => [
  ...(name === undefined ? [] : ['"/name"']),
  ...(labels === undefined ? [] : ['"/labels"']),
  ...(serverForPeers === undefined ? [] : ['"/server_for_peers"']),
]

/** A cluster that fedplane makes is found by its name, and made as its labels say: they follow its template. @throws InvalidRequest */
const requireFree = ({ id, capabilities }: ClusterDriverDescription, desired: DesiredChange): void => {
  const asked = atOnce(desired)
  if (asked.length === 0 || !capabilities.makesNodes) return
  if (desired.labels === undefined) {
    throw new InvalidRequest(
      `Cannot change ${listInWords(asked)}. Only "/node_count" and health of this cluster can be changed: its driver ${id} makes it, and finds it by its name.`,
    )
  }
  throw new InvalidRequest(
    `Cannot change "/labels". Only "/node_count" and health of this cluster can be changed: its driver ${id} makes nodes by its labels. They follow its template with an upgrade (POST /v1/clusters/{cluster}/actions/upgrade).`,
  )
}

/** With another address for peers. @throws StateConflict while it has no endpoint */
const endpointFor = (cluster: Cluster, serverForPeers: string | null): ClusterEndpoint => {
  if (cluster.endpoint !== null) return { ...cluster.endpoint, serverForPeers }
  throw new StateConflict(`Cluster ${cluster.name} has no API server that is known, so that its peers need no address.`)
}

/** One of the attributes that are stored at once: what is changed, the reason of its event, and how that says it. */
type Fact = { change: ClusterChange; reason: string; words: string }

const factsOf = async (cluster: Cluster, { name, labels, serverForPeers }: DesiredChange): Promise<Fact[]> => {
  const { magnum, endpoint } = cluster
  const facts: Fact[] = []
  if (labels !== undefined && !isDeepStrictEqual(labels, magnum.labels))
    facts.push({ change: { magnum: { ...magnum, labels } }, reason: 'LabelsChanged', words: 'its labels' })
  if (name !== undefined && name !== cluster.name)
    facts.push({ change: { name }, reason: 'NameChanged', words: `its name, to ${name}` })
  const address = await serverForPeers?.(cluster)
  if (address !== undefined && address !== (endpoint?.serverForPeers ?? null))
    facts.push({
      change: { endpoint: endpointFor(cluster, address) },
      reason: 'AddressForPeersChanged',
      words: `its address for other clusters, to ${address ?? endpoint?.server}`,
    })
  return facts
}

/** Stored at once; what selects clusters by them learns of it by the event, and the health sweep tells its federations. */
const changeFacts = async (ports: Ports, cluster: Cluster, desired: DesiredChange): Promise<void> => {
  const facts = await factsOf(cluster, desired)
  const [first] = facts
  if (first === undefined) return
  const { stores, clock } = ports
  const message = `Cluster ${cluster.name} has changed: ${facts.map(({ words }) => words).join('; ')}.`
  const change = Object.assign({ updatedAt: clock.now().toISOString() }, ...facts.map((fact) => fact.change))
  await stores.commit([
    stores.clusters.change(cluster, change),
    ownerEvent(ports, 'cluster', cluster, {
      action: 'update',
      outcome: 'success',
      reason: first.reason,
      notify: false,
      message,
    }),
  ])
  await followSoon(ports, cluster)
}

const requireOneTask = (desired: DesiredChange): void => {
  const { kubeconfig, nodeCount, management } = desired
  const facts = atOnce(desired)
  const tasks = [
    ...(kubeconfig === undefined ? [] : ['"/kubeconfig"']),
    ...(nodeCount === undefined ? [] : ['"/node_count"']),
    ...(management === undefined ? [] : ['"/management"']),
  ]
  const requests = tasks.length + (facts.length === 0 ? 0 : 1)
  if (requests < 2) return
  throw new InvalidRequest(`${listInWords([...tasks, ...facts])} can't be changed at once. Send ${requests} requests.`)
}

/** Which also repairs what failed, and waits for what runs. */
const RESIZE_INSTEAD = ' A resize (POST /v1/clusters/{cluster}/actions/resize) is taken now, too.'

/** Refuses a change that the cluster does not take, or not in its state (magnum-rest.md 4.3). @throws InvalidRequest, StateConflict */
const requireChangeable = (cluster: Cluster, desired: DesiredChange, drivers: DriverDescriptions): void => {
  requireCapable(drivers.cluster.resolve(cluster.driver), desired)
  requireFree(drivers.cluster.resolve(cluster.driver), desired)
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
  const { kubeconfig, nodeCount, management } = desired
  if (kubeconfig !== undefined) await replaceKubeconfig(ports, cluster, await kubeconfig(cluster))
  if (nodeCount !== undefined) await resizeWorkers(ports, cluster, nodeCount, request)
  await changeFacts(ports, cluster, desired)
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
