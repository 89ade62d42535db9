import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import { isLabelValue } from '../../../../../core/values/kubernetes.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { firstVersion, targetVersion, upgradesControlPlane } from '../model/desired.ts'
import { KubernetesVersionMissing } from '../model/errors.ts'
import { podsCidr } from '../model/infrastructure.ts'
import { CLUSTER_LABEL, machineDeploymentName, NODE_GROUP_LABEL, PROJECT_LABEL } from '../model/names.ts'
import { classRef } from './class-objects.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { controlPlaneConfig } from './kubeadm-config.ts'
import { configWithMarks } from './kubeadm-machine.ts'
import {
  apiServerPortOf,
  compact,
  type DesiredCluster,
  desiredCluster,
  desiredGroup,
  NETWORK_DRIVER_LABEL,
  networkDriverOf,
  type RenderPlan,
} from './plan.ts'
import {
  type ClusterSpec,
  changedByHand,
  entriesOf,
  specOf,
  type Topology,
  VARIABLES,
  type Variable,
  type WorkerEntry,
  withEntries,
  withVariables,
} from './topology.ts'
import { deferredEntry, newEntry, resizedEntry, updatedEntry, upgradedEntry } from './worker-entry.ts'

/** The control plane's part of a topology. */
const controlPlaneOf = (plan: RenderPlan, group: NodeGroup): Topology['controlPlane'] => ({
  metadata: { labels: { [NODE_GROUP_LABEL]: group.id } },
  replicas: group.nodeCount,
  healthCheck: { enabled: desiredGroup(plan, group).own.auto_healing_enabled },
})

/** The variables that make its machines. */
const controlPlaneVariables = (plan: RenderPlan, group: NodeGroup): Variable[] => {
  const desired = desiredGroup(plan, group)
  return [
    { name: VARIABLES.controlPlaneMachine, value: INFRASTRUCTURE_KINDS[plan.infrastructure].machineSpec(desired) },
    { name: VARIABLES.controlPlaneConfig, value: controlPlaneConfig(desired) },
  ]
}

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

/** A group that is not upgraded stays at its version; it is distinguished only when there is another one to go to. */
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
const changedSpec = (plan: RenderPlan, spec: ClusterSpec): ClusterSpec => {
  const { task, nodeGroups } = plan
  const master = nodeGroups.find(isMaster)
  const topology = task?.kind === 'upgrade' ? upgraded(plan, spec.topology, task) : spec.topology
  const withMasters =
    master === undefined || task?.kind === 'upgrade' ? topology : withControlPlane(plan, topology, master)
  return { ...spec, topology: withEntries(withMasters, changedEntries(plan, spec)) }
}

const clusterNetwork = (desired: DesiredCluster): JsonObject =>
  compact({
    apiServerPort: apiServerPortOf(desired.plan),
    pods: { cidrBlocks: [podsCidr(desired.values, networkDriverOf(desired.plan))] },
    services: { cidrBlocks: [desired.values.service_cluster_ip_range] },
    serviceDomain: desired.values.dns_cluster_domain,
  })

const infrastructureVariable = (desired: DesiredCluster): Variable[] => {
  const { clusterSpec } = INFRASTRUCTURE_KINDS[desired.plan.infrastructure]
  return clusterSpec === undefined ? [] : [{ name: VARIABLES.infrastructureCluster, value: clusterSpec(desired) }]
}

/** `spec` of a Cluster that is not there yet. @throws KubernetesVersionMissing */
const freshSpec = (plan: RenderPlan): ClusterSpec => {
  const version = firstVersion(plan)
  const master = plan.nodeGroups.find(isMaster)
  if (version === undefined || master === undefined) {
    throw new KubernetesVersionMissing(
      `Nothing says which Kubernetes version cluster ${plan.cluster.name} is to run: give its cluster template the label kube_tag, for example kube_tag=v1.36.0.`,
    )
  }
  const desired = desiredCluster(plan)
  const workers = plan.nodeGroups.filter((group) => !isMaster(group))
  const topology = {
    classRef: classRef(plan),
    version,
    controlPlane: controlPlaneOf(plan, master),
    variables: [...infrastructureVariable(desired), ...controlPlaneVariables(plan, master)],
  }
  return {
    clusterNetwork: clusterNetwork(desired),
    topology: withEntries(
      topology,
      workers.map((group) => newEntry(plan, group)),
    ),
  }
}

const labelsOf = (plan: RenderPlan): Record<string, string> => {
  const labels = {
    'app.kubernetes.io/managed-by': 'fedplane',
    [CLUSTER_LABEL]: plan.cluster.id,
    [PROJECT_LABEL]: plan.cluster.projectId,
    [NETWORK_DRIVER_LABEL]: networkDriverOf(plan),
  }
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== '' && isLabelValue(value)))
}

/**
 * The topology `Cluster` as it is sent by server-side apply: all of our part, each time.
 *
 * Without a previous one it is made from what is wanted. With one only that is changed which the task is about: what can't be changed later stays as it
 * was written first (cluster-api.md section 7, row 17), and the class stays but in an upgrade (row 19).
 *
 * @throws KubernetesVersionMissing when nothing says a version, which `check` refuses
 */
export const clusterObject = (plan: RenderPlan): KubernetesObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: {
    name: plan.names.cluster,
    namespace: plan.names.namespace,
    labels: labelsOf(plan),
  },
  spec: plan.previous === undefined ? freshSpec(plan) : changedSpec(plan, specOf(plan.previous)),
})
