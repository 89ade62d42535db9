import { isMaster, type NodeGroup } from '../../../../../domain/node-group.ts'
import type { ControlPlane, Machine, MachineDeployment } from '../management/objects.schema.ts'
import { CONTROL_PLANE_LABEL, DEPLOYMENT_NAME_LABEL } from '../management/resources.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { DEFER_UPGRADE, machineDeploymentName } from '../render/names.ts'
import { isLeaving } from './conditions.ts'

export const deploymentOf = ({ deployments }: Snapshot, group: NodeGroup): MachineDeployment | undefined =>
  deployments.find(({ metadata }) => metadata.labels[DEPLOYMENT_NAME_LABEL] === machineDeploymentName(group))

/** True for a group that an upgrade of the cluster has left at its version: Cluster API changes nothing of it before it is upgraded. */
export const isDeferred = (snapshot: Snapshot, group: NodeGroup): boolean => {
  const topology = snapshot.cluster?.spec.topology
  const entry = topology?.workers.machineDeployments.find(({ name }) => name === machineDeploymentName(group))
  if (topology === undefined || entry === undefined || !(DEFER_UPGRADE in entry.metadata.annotations)) return false
  return deploymentOf(snapshot, group)?.spec.template.spec.version !== topology.version
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
