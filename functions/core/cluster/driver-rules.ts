import type { ClusterDriverDescription, PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest } from '../errors.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterTaskKind } from './cluster-task.ts'

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
