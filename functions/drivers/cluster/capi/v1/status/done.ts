import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import {
  type CapiCluster,
  type ControlPlane,
  conditionOf,
  isChanging,
  isSettled,
  isTrue,
  type MachineDeployment,
} from '../management/objects.schema.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { DEFER_UPGRADE, DEPLOYMENT_NAME_LABEL } from '../model/names.ts'
import { deploymentOf, isDeferred, machinesOf, replicasOf } from './groups.ts'

/** When is it done: cluster-api.md 2.3. */

type Topology = NonNullable<CapiCluster['spec']['topology']>

const areReplicasThere = ({ spec, status }: ControlPlane | MachineDeployment): boolean =>
  [status.replicas, status.upToDateReplicas, status.availableReplicas].every((count) => count === spec.replicas)

/** All machines of the control plane are there, current and available, and none is being changed. */
const isControlPlaneDone = (plane: ControlPlane): boolean =>
  isSettled(plane) && areReplicasThere(plane) && isTrue(plane, 'Available') && !isChanging(plane)

/** The same of a worker group; none of none is done. `phase` says nothing of the nodes, so it is not checked. */
const isDeploymentDone = (deployment: MachineDeployment): boolean =>
  isSettled(deployment) && areReplicasThere(deployment) && !isTrue(deployment, 'RollingOut')

/** What `TopologyReconciled` says while groups wait for an upgrade of their own: nothing else is left to do. */
const DEFERRED = 'MachineDeploymentsUpgradeDeferred'

/** What it says while control plane or groups are on their way to another version: one that is not may be done all the same. */
const UPGRADING = 'ClusterUpgrading'

/** The topology controller has seen the Cluster as it is now, and made everything of it that shall be made now, or waits for one of these reasons. */
const isTopologySeen = (cluster: CapiCluster, ...waiting: string[]): boolean => {
  const reconciled = conditionOf(cluster, 'TopologyReconciled')
  if (reconciled === undefined || (reconciled.status !== 'True' && !waiting.includes(reconciled.reason))) return false
  return (reconciled.observedGeneration ?? cluster.metadata.generation) >= cluster.metadata.generation
}

const entryOf = (topology: Topology, { metadata }: MachineDeployment) =>
  topology.workers.machineDeployments.find(({ name }) => name === metadata.labels[DEPLOYMENT_NAME_LABEL])

/** True when it has the replicas that the topology names; one that names none leaves them to an autoscaler. */
const hasWanted = (replicas: number, wanted: number | undefined): boolean => wanted === undefined || replicas === wanted

const isDeploymentAsWanted = (topology: Topology, deployment: MachineDeployment): boolean => {
  const entry = entryOf(topology, deployment)
  return (
    entry !== undefined &&
    hasWanted(deployment.spec.replicas, entry.replicas) &&
    (DEFER_UPGRADE in entry.metadata.annotations || deployment.spec.template.spec.version === topology.version)
  )
}

const isControlPlaneAsWanted = (topology: Topology, plane: ControlPlane): boolean =>
  hasWanted(plane.spec.replicas, topology.controlPlane.replicas) && plane.spec.version === topology.version

/** What was made of the topology says the same as the topology: conditions of before a change may still be True. */
const isTopologyMade = ({ cluster, controlPlane, deployments }: Snapshot): boolean => {
  const topology = cluster?.spec.topology
  if (topology === undefined || controlPlane === undefined) return false
  return (
    isControlPlaneAsWanted(topology, controlPlane) &&
    deployments.length === topology.workers.machineDeployments.length &&
    deployments.every((deployment) => isDeploymentAsWanted(topology, deployment))
  )
}

/** The whole cluster is up, as it is wanted. */
export const isClusterDone = (snapshot: Snapshot): boolean => {
  const { cluster, controlPlane, deployments } = snapshot
  return (
    cluster !== undefined &&
    controlPlane !== undefined &&
    isSettled(cluster) &&
    isTrue(cluster, 'Available') &&
    isTopologySeen(cluster, DEFERRED) &&
    isTopologyMade(snapshot) &&
    isControlPlaneDone(controlPlane) &&
    deployments.every(isDeploymentDone)
  )
}

/** All machines that the group is to have are there, whatever the topology says by now. */
export const isGroupUp = (snapshot: Snapshot, group: NodeGroup): boolean => {
  const { controlPlane } = snapshot
  const deployment = deploymentOf(snapshot, group)
  const isMakerDone = isMaster(group)
    ? controlPlane !== undefined && isControlPlaneDone(controlPlane)
    : deployment !== undefined && isDeploymentDone(deployment)
  return isMakerDone && machinesOf(snapshot, group).length === replicasOf(snapshot, group)
}

/** One that Cluster API leaves as it is has no more of the topology than the number of nodes, which is written to it. */
const isDeferredAsWanted = (topology: Topology, deployment: MachineDeployment): boolean =>
  hasWanted(deployment.spec.replicas, entryOf(topology, deployment)?.replicas)

/** Counters are some moments behind what was just changed; what a machine was made for does not change. */
const areOfVersion = (snapshot: Snapshot, group: NodeGroup, { version }: Topology): boolean =>
  machinesOf(snapshot, group).every(({ spec }) => spec.version === '' || spec.version === version)

/** What makes the group's machines is as the topology says. */
const isGroupAsWanted = (snapshot: Snapshot, cluster: CapiCluster, topology: Topology, group: NodeGroup): boolean => {
  const { controlPlane } = snapshot
  const deployment = deploymentOf(snapshot, group)
  if (deployment !== undefined && isDeferred(snapshot, group)) return isDeferredAsWanted(topology, deployment)
  if (!isTopologySeen(cluster, DEFERRED, UPGRADING)) return false
  const isLeft =
    deployment !== undefined && DEFER_UPGRADE in (entryOf(topology, deployment)?.metadata.annotations ?? {})
  if (!isLeft && !areOfVersion(snapshot, group, topology)) return false
  return isMaster(group)
    ? controlPlane !== undefined && isControlPlaneAsWanted(topology, controlPlane)
    : deployment !== undefined && isDeploymentAsWanted(topology, deployment)
}

/** One group is as the topology says, whatever becomes of the others; machines on their way out are gone. */
export const isGroupDone = (snapshot: Snapshot, group: NodeGroup): boolean => {
  const { cluster } = snapshot
  const topology = cluster?.spec.topology
  if (cluster === undefined || topology === undefined) return false
  return isGroupAsWanted(snapshot, cluster, topology, group) && isGroupUp(snapshot, group)
}

/** Nothing of a group is left: neither what was made of its entry, nor a machine. */
export const isGroupGone = (snapshot: Snapshot, group: NodeGroup): boolean =>
  deploymentOf(snapshot, group) === undefined && machinesOf(snapshot, group).length === 0
