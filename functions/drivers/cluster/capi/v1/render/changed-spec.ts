import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import { targetVersion, upgradesControlPlane } from '../wishes.ts'
import { classRef } from './class-objects.ts'
import { controlPlaneOf, controlPlaneVariables } from './control-plane.ts'
import { configWithMarks } from './kubeadm/node-marks.ts'
import { machineDeploymentName } from './names.ts'
import type { RenderPlan } from './plan.ts'
import {
  type ClusterSpec,
  changedByHand,
  entriesOf,
  type Topology,
  type WorkerEntry,
  withEntries,
  withVariables,
} from './topology.ts'
import { VARIABLES } from './variables.ts'
import { deferredEntry, newEntry, resizedEntry, updatedEntry, upgradedEntry } from './worker-entry.ts'

type Upgrade = Extract<NonNullable<RenderPlan['task']>, { kind: 'upgrade' }>

const withControlPlane = (plan: RenderPlan, topology: Topology, master: NodeGroup): Topology => {
  const { task } = plan
  if (task === null || !isAbout(task, master)) return topology
  const resized = { ...topology, controlPlane: { ...topology.controlPlane, replicas: master.nodeCount } }
  if (task.kind !== 'node-group-update') return resized
  const config = topology.variables.find(({ name }) => name === VARIABLES.controlPlaneConfig)?.value
  if (config === undefined) {
    const { namespace, cluster: name } = plan.names
    throw changedByHand({ namespace, name }, `the variable ${VARIABLES.controlPlaneConfig}`)
  }
  const value = configWithMarks(config as JsonObject, master)
  return { ...resized, variables: withVariables(topology.variables, [{ name: VARIABLES.controlPlaneConfig, value }]) }
}

/** The class and the control plane as an upgrade of them makes them. What is said of the infrastructure's cluster stays: networks do not change. */
const upgraded = (plan: RenderPlan, topology: Topology, task: Upgrade): Topology => {
  const master = plan.nodeGroups.find(isMaster)
  const version = targetVersion(plan, task)
  if (!upgradesControlPlane(plan, task) || master === undefined || version === undefined) return topology
  return {
    ...topology,
    classRef: classRef(plan),
    version,
    controlPlane: { ...topology.controlPlane, ...controlPlaneOf(plan, master) },
    variables: withVariables(topology.variables, controlPlaneVariables(plan, master)),
  }
}

/** A group that is not upgraded stays at its version; it is told apart only when there is another one to go to. */
const leftEntry = (plan: RenderPlan, { topology }: ClusterSpec, entry: WorkerEntry, task: Upgrade): WorkerEntry => {
  const version = targetVersion(plan, task)
  const isNewer = upgradesControlPlane(plan, task) && version !== undefined && version !== topology.version
  return isNewer ? deferredEntry(entry) : entry
}

const changedEntry = (plan: RenderPlan, spec: ClusterSpec, entry: WorkerEntry, group: NodeGroup): WorkerEntry => {
  const { task } = plan
  if (task?.kind === 'upgrade') {
    return isAbout(task, group) ? upgradedEntry(plan, entry, group) : leftEntry(plan, spec, entry, task)
  }
  if (task === null || !isAbout(task, group)) return entry
  return task.kind === 'node-group-update' ? updatedEntry(plan, entry, group) : resizedEntry(entry, group)
}

/** The entries of the groups there shall be, in their order; one that is not there yet is made. */
const changedEntries = (plan: RenderPlan, spec: ClusterSpec): WorkerEntry[] => {
  const { task, nodeGroups } = plan
  const entries = new Map(entriesOf(spec).map((entry) => [entry.name, entry]))
  const isGoing = (group: NodeGroup): boolean => task?.kind === 'node-group-delete' && isAbout(task, group)
  return nodeGroups
    .filter((group) => !isMaster(group) && !isGoing(group))
    .map((group) => {
      const entry = entries.get(machineDeploymentName(group))
      return entry === undefined ? newEntry(plan, group) : changedEntry(plan, spec, entry, group)
    })
}

/** `spec` of a Cluster that is there, with what the task changes. Without a task, which is a create that is done again, only what is missing is added. */
export const changedSpec = (plan: RenderPlan, spec: ClusterSpec): ClusterSpec => {
  const { task, nodeGroups } = plan
  const master = nodeGroups.find(isMaster)
  const topology = task?.kind === 'upgrade' ? upgraded(plan, spec.topology, task) : spec.topology
  const withMasters =
    master === undefined || task?.kind === 'upgrade' ? topology : withControlPlane(plan, topology, master)
  return { ...spec, topology: withEntries(withMasters, changedEntries(plan, spec)) }
}
