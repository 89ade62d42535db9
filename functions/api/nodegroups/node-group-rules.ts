import { askPreview } from '../../core/cluster/ask-preview.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { RESIZABLE, stateFault } from '../../core/cluster/cluster-state.ts'
import { requireNodesMade, requireTaskKnown } from '../../core/cluster/driver-rules.ts'
import { plannedManagement } from '../../core/cluster/management.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import { templateOfCluster } from '../../core/cluster/template-of-cluster.ts'
import { StateConflict } from '../../core/errors.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { Status } from '../../core/values/status.ts'
import { quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription, PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { KeysRequest } from '../route.ts'
import { NodeGroupInvalid } from './errors.ts'

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

/**
 * The driver of a cluster, if it knows the kind of change.
 *
 * @throws InvalidRequest naming the driver that does not
 */
export const driverFor = (
  ports: Pick<TablePorts, 'drivers'>,
  cluster: Cluster,
  kind: keyof typeof IN_WORDS,
): ClusterDriverDescription => {
  requireNodesMade(ports.drivers, cluster, 'Node groups')
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  requireTaskKnown(driver, kind, IN_WORDS[kind])
  return driver
}

/**
 * The driver accepts the change, and so does whoever makes the cluster.
 *
 * @throws NodeGroupInvalid with all that the driver has against it, ChangeRefused, and errors of reaching whoever makes the cluster
 */
export const requireAccepted = async (
  request: Pick<KeysRequest, 'ports'>,
  driver: ClusterDriverDescription,
  change: Omit<PlannedCluster, 'template' | 'management'>,
): Promise<void> => {
  const [template, management] = await Promise.all([
    templateOfCluster(request.ports, change.cluster),
    plannedManagement(request.ports, change.cluster),
  ])
  const plan = { ...change, template, management }
  requireNoFault(driver.check(plan))
  await askPreview(request.ports, plan)
}

/** @throws NodeGroupInvalid with all sentences */
export const requireNoFault = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new NodeGroupInvalid(faults.slice(0, 5).join(' '))
}
