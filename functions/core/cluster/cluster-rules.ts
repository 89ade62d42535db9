import type { ClusterDriverDescription, PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, NodeGroupInvalid, StateConflict } from '../errors.ts'
import type { TablePorts } from '../ports.ts'
import { isInProgress, type Status } from '../values/status.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterTaskKind } from './cluster-task.ts'
import type { NodeGroup } from './node-group.ts'

/** @throws InvalidRequest naming the driver that only counts nodes */
export const requireNodesMade = (drivers: DriverDescriptions, { driver }: Cluster, attribute: string): void => {
  if (drivers.cluster.resolve(driver).capabilities.makesNodes) return
  throw new InvalidRequest(
    `${attribute} of this cluster can't be changed: its driver ${driver} does not manage nodes, it only counts them.`,
  )
}

/** @throws InvalidRequest naming the driver that knows no such change */
export const requireTaskKnown = (
  { id, updates, capabilities }: ClusterDriverDescription,
  kind: ClusterTaskKind,
  what: string,
): void => {
  if (updates.includes(kind)) return
  const advice = capabilities.makesNodes ? '' : ' Do that where the cluster was made.'
  throw new InvalidRequest(`The driver ${id} of this cluster can't ${what}.${kind === 'credential' ? '' : advice}`)
}

/** Refuses faults, one sentence each; nothing when there are none. */
export type RequireNone = (faults: readonly string[]) => void

const requireValid: RequireNone = (faults) => {
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
}

/** @throws InvalidRequest, or what `requireNone` throws, with every fault that the driver finds in a plan */
export const requireDriverAgrees = (
  driver: ClusterDriverDescription,
  plan: PlannedCluster,
  requireNone: RequireNone = requireValid,
): void => requireNone(driver.check(plan))

/** Statuses in which a cluster takes a change. */
type Accepted = readonly Status[]

/** Settled: what PATCH and upgrade need (magnum-rest.md 4.3, 4.6). */
export const SETTLED: Accepted = ['CREATE_COMPLETE', 'UPDATE_COMPLETE']

/** A resize also repairs what an earlier change left, and queues behind one that runs (magnum-rest.md 4.5). */
export const RESIZABLE: Accepted = [...SETTLED, 'UPDATE_FAILED', 'UPDATE_IN_PROGRESS']

/** A new kubeconfig also repairs what failed (design section 2), and so does another role as a management cluster. */
export const CREDENTIAL_TAKEN: Accepted = [...SETTLED, 'CREATE_FAILED', 'UPDATE_FAILED']

const inWords = (statuses: Accepted): string => `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`

/** Why a cluster takes no such change now, as a sentence with what to wait for; null when it does. */
export const stateFault = ({ name, status, operation }: Cluster, accepted: Accepted): string | null => {
  if (accepted.includes(status)) return null
  const runs = isInProgress(status) ? `, its ${operation?.kind ?? 'operation'} is running` : ''
  return `Cluster ${quote(name)} is ${status}${runs}. It can be changed so when it is ${inWords(accepted)}.`
}

/** As for a resize (magnum-rest.md section 6): while one change runs, others queue. @throws StateConflict naming the status */
export const requireClusterChangeable = (cluster: Cluster): void => {
  const fault = stateFault(cluster, RESIZABLE)
  if (fault !== null) throw new StateConflict(fault)
}

/** Node group status that nothing but deletion ends. */
const ENDED: readonly Status[] = ['CREATE_FAILED', 'DELETE_IN_PROGRESS', 'DELETE_FAILED']

/** @throws StateConflict for a group that was never made, or that goes */
export const requireGroupChangeable = ({ name, status }: NodeGroup): void => {
  if (!ENDED.includes(status)) return
  throw new StateConflict(`Node group ${quote(name)} is ${status}: it can only be deleted.`)
}

const IN_WORDS = {
  'node-group-create': 'make node groups',
  'node-group-update': 'change node groups',
  'node-group-delete': 'remove node groups',
} as const

/** The driver of a cluster knows the kind of change. @throws InvalidRequest naming the driver that does not */
export const requireGroupTaskKnown = (
  { drivers }: Pick<TablePorts, 'drivers'>,
  cluster: Cluster,
  kind: keyof typeof IN_WORDS,
): void => {
  requireNodesMade(drivers, cluster, 'Node groups')
  requireTaskKnown(drivers.cluster.resolve(cluster.driver), kind, IN_WORDS[kind])
}

/** @throws NodeGroupInvalid with all sentences */
export const requireNoFault: RequireNone = (faults) => {
  if (faults.length > 0) throw new NodeGroupInvalid(faults.slice(0, 5).join(' '))
}

/** The members of etcd vote (magnum-rest.md 4.1). @throws InvalidRequest */
export const requireMasterCountOdd = (count: number): void => {
  if (count % 2 === 1) return
  const why = count === 0 ? 'there must be one at least' : 'of two halves of an even number none has a majority'
  const use = count === 0 ? 'Use 1.' : `Use ${count - 1} or ${count + 1}.`
  throw new InvalidRequest(`"master_count" is ${count}; it must be odd, because ${why}. ${use}`)
}

/** @throws InvalidRequest when several masters have no load balancer in front of them (magnum-rest.md 4.1) */
export const requireMastersReachable = (count: number, masterLbEnabled: boolean | null): void => {
  if (count <= 1 || masterLbEnabled === true) return
  throw new InvalidRequest(
    `"master_count" is ${count}; more than 1 needs a load balancer: "master_lb_enabled" true, here or in the cluster template.`,
  )
}
