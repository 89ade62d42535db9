import type { Machine, MachineDeployment } from '../management/objects.schema.ts'
import { DEPLOYMENT_NAME_LABEL } from '../management/resources.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isChanging, isLeaving, isTrue } from './conditions.ts'

/** Minutes until a machine has a node, and until that is Ready. The first is when Cluster API's health check gives it up. */
const NODE_MINUTES = 30
const READY_MINUTES = 10

/** A new machine whose node is not there, or not Ready, and need not be yet. */
export const isComing = (machine: Machine, now: string): boolean => {
  const { metadata, status } = machine
  const age = (Date.parse(now) - Date.parse(metadata.creationTimestamp)) / 60_000
  const isNew = age < (status.nodeRef.name === '' ? NODE_MINUTES : READY_MINUTES)
  return isNew && !isLeaving(machine) && !isTrue(machine, 'NodeHealthy')
}

const isOfDeployment = ({ metadata }: MachineDeployment, machine: Machine): boolean =>
  machine.metadata.labels[DEPLOYMENT_NAME_LABEL] === metadata.labels[DEPLOYMENT_NAME_LABEL]

/** A group that lacks available nodes although nothing is being done to it, and fewer than it lacks are on their way. */
const isShort = ({ machines }: Snapshot, deployment: MachineDeployment, now: string): boolean => {
  const lacking = deployment.spec.replicas - deployment.status.availableReplicas
  if (lacking <= 0 || isChanging(deployment)) return false
  return machines.filter((machine) => isOfDeployment(deployment, machine) && isComing(machine, now)).length < lacking
}

/**
 * True when a group lacks nodes that nothing explains. Cluster API itself calls workers unavailable as soon as a group has fewer than it shall have, which is
 * so after each resize, and for a moment after that.
 */
export const areWorkersShort = (snapshot: Snapshot, now: string): boolean =>
  snapshot.deployments.some((deployment) => isShort(snapshot, deployment, now))
