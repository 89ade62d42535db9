import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { ControlPlane, Machine, MachineDeployment } from '../management/objects.schema.ts'
import { CONTROL_PLANE_LABEL, DEPLOYMENT_NAME_LABEL } from '../management/resources.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { DEFER_UPGRADE, machineDeploymentName } from '../render/names.ts'
import { isLeaving } from './conditions.ts'

export const deploymentOf = ({ deployments }: Snapshot, group: NodeGroup): MachineDeployment | undefined =>
  deployments.find(({ metadata }) => metadata.labels[DEPLOYMENT_NAME_LABEL] === machineDeploymentName(group))

/** The version that the control plane is on its way to; undefined when all its machines have it. */
export const versionUnderway = ({ cluster, controlPlane, machines }: Snapshot): string | undefined => {
  const version = cluster?.spec.topology?.version
  if (version === undefined || controlPlane === undefined) return undefined
  const masters = machines.filter((machine) => CONTROL_PLANE_LABEL in machine.metadata.labels && !isLeaving(machine))
  const versions = [controlPlane.spec.version, ...masters.map(({ spec }) => spec.version)]
  return versions.every((one) => one === '' || one === version) ? undefined : version
}

/**
 * True for a group of which Cluster API changes nothing: an upgrade of the cluster has left it at its version, or waits for the control plane before it comes
 * to the group.
 */
export const isDeferred = (snapshot: Snapshot, group: NodeGroup): boolean => {
  const topology = snapshot.cluster?.spec.topology
  const entry = topology?.workers.machineDeployments.find(({ name }) => name === machineDeploymentName(group))
  const deployment = deploymentOf(snapshot, group)
  if (topology === undefined || entry === undefined || deployment === undefined) return false
  const waits = DEFER_UPGRADE in entry.metadata.annotations || versionUnderway(snapshot) !== undefined
  return waits && deployment.spec.template.spec.version !== topology.version
}

/** What makes the group's machines. */
export const makerOf = (snapshot: Snapshot, group: NodeGroup): ControlPlane | MachineDeployment | undefined =>
  isMaster(group) ? snapshot.controlPlane : deploymentOf(snapshot, group)

/** Machines of a group, also those that are on their way out, oldest first. */
export const machinesOf = ({ machines }: Snapshot, group: NodeGroup): Machine[] => {
  const isOwn = ({ metadata: { labels } }: Machine): boolean =>
    isMaster(group) ? CONTROL_PLANE_LABEL in labels : labels[DEPLOYMENT_NAME_LABEL] === machineDeploymentName(group)
  const age = ({ metadata }: Machine): string => `${metadata.creationTimestamp} ${metadata.name}`
  return machines.filter(isOwn).sort((a, b) => (age(a) < age(b) ? -1 : 1))
}

/** Those that stay. */
export const livingMachines = (snapshot: Snapshot, group: NodeGroup): Machine[] =>
  machinesOf(snapshot, group).filter((machine) => !isLeaving(machine))

/** How many machines the group is to have, as Cluster API has it: an autoscaler changes that. Undefined before there is anything of it. */
export const replicasOf = (snapshot: Snapshot, group: NodeGroup): number | undefined =>
  makerOf(snapshot, group)?.spec.replicas
