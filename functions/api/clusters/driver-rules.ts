import type { Cluster } from '../../domain/cluster.ts'
import type { ClusterTaskKind } from '../../domain/cluster-task.ts'
import type { ClusterDriver, PlannedCluster } from '../../drivers/contract/cluster-driver.ts'
import type { Drivers } from '../../drivers/contract/registry.ts'
import { InvalidRequest } from '../errors.ts'

/** @throws InvalidRequest naming the driver that only counts nodes */
export const demandNodesMade = (drivers: Drivers, { driver }: Cluster, attribute: string): void => {
  if (drivers.cluster.resolve(driver).capabilities.makesNodes) return
  throw new InvalidRequest(
    `${attribute} of this cluster can't be changed: its driver ${driver} does not manage nodes, it only counts them.`,
  )
}

/** @throws InvalidRequest naming the driver that knows no such change */
export const demandTaskKnown = ({ id, phases }: ClusterDriver, kind: ClusterTaskKind, what: string): void => {
  if (phases.update[kind] !== undefined) return
  throw new InvalidRequest(`The driver ${id} of this cluster can't ${what}.`)
}

/** @throws InvalidRequest with every fault that the driver finds in a plan */
export const demandDriverAgrees = (driver: ClusterDriver, plan: PlannedCluster): void => {
  const faults = driver.check(plan)
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
}
