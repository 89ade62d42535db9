import { NodeGroupInvalid, StateConflict } from '../errors.ts'
import type { TablePorts } from '../ports.ts'
import type { Status } from '../values/status.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import { RESIZABLE, stateFault } from './cluster-state.ts'
import { type RequireNone, requireNodesMade, requireTaskKnown } from './driver-rules.ts'
import type { NodeGroup } from './node-group.ts'

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
