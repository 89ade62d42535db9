import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import { autoscalingOf } from '../model/desired.ts'
import { DEFER_UPGRADE, machineDeploymentName, NODE_GROUP_LABEL } from '../model/names.ts'
import { INFRASTRUCTURE_KINDS } from './infrastructures.ts'
import { workerConfig } from './kubeadm-config.ts'
import { configWithMarks, nodeLabelsOf } from './kubeadm-machine.ts'
import { type DesiredGroup, desiredGroup, type RenderPlan } from './plan.ts'
import { changedByHand, VARIABLES, type Variable, WORKER_CLASS, type WorkerEntry, withVariables } from './topology.ts'

const AUTOSCALER = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group'
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io'

/**
 * What cluster-autoscaler reads: the range, and what nodes of an empty group would be like. Cores and memory it has from the machine template's
 * `status.capacity`, which CAPO fills.
 */
const autoscalerAnnotations = (group: NodeGroup): Record<string, string> => {
  const range = autoscalingOf(group)
  if (range === undefined) return {}
  const taints = group.nodeTaints.map(({ key, value = '', effect }) => `${key}=${value}:${effect}`)
  return {
    [`${AUTOSCALER}-min-size`]: String(range.min),
    [`${AUTOSCALER}-max-size`]: String(range.max),
    [`${CAPACITY}/labels`]: Object.entries(nodeLabelsOf(group))
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    ...(taints.length === 0 ? {} : { [`${CAPACITY}/taints`]: taints.join(',') }),
  }
}

/** Either a number of replicas or the range of an autoscaler: with both, two controllers would pull (cluster-api.md section 7, row 27). */
const size = (group: NodeGroup): { replicas?: number } =>
  autoscalingOf(group) === undefined ? { replicas: group.nodeCount } : {}

const isAutoscaler = (key: string): boolean => key.startsWith(AUTOSCALER) || key.startsWith(CAPACITY)

const metadataOf = (group: NodeGroup, kept: Readonly<Record<string, string>> = {}) => {
  const others = Object.entries(kept).filter(([key]) => !isAutoscaler(key))
  const annotations = { ...Object.fromEntries(others), ...autoscalerAnnotations(group) }
  return {
    metadata: {
      labels: { [NODE_GROUP_LABEL]: group.id },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  }
}

const overrides = (desired: DesiredGroup): Variable[] => [
  { name: VARIABLES.workerMachine, value: INFRASTRUCTURE_KINDS[desired.plan.infrastructure].machineSpec(desired) },
  { name: VARIABLES.workerConfig, value: workerConfig(desired) },
]

/** The entry of a group that has none yet. */
export const newEntry = (plan: RenderPlan, given: NodeGroup): WorkerEntry => {
  const desired = desiredGroup(plan, given)
  const { group, own } = desired
  return {
    class: WORKER_CLASS,
    name: machineDeploymentName(group),
    ...metadataOf(group),
    ...size(group),
    ...(own.availability_zone === undefined ? {} : { failureDomain: own.availability_zone }),
    healthCheck: { enabled: own.auto_healing_enabled },
    variables: { overrides: overrides(desired) },
  }
}

/** An entry with the group's number of nodes, or its range. All else, machines above all, stays. */
export const resizedEntry = ({ replicas: _, ...entry }: WorkerEntry, group: NodeGroup): WorkerEntry => ({
  ...entry,
  ...metadataOf(group, entry.metadata?.annotations),
  ...size(group),
})

const overrideOf = (entry: WorkerEntry, name: string): JsonObject | undefined => {
  const value = entry.variables?.overrides.find((override) => override.name === name)?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** An entry with the group's limits, node labels and taints. @throws ManagementObjectChanged for one that lacks what they go into */
export const updatedEntry = ({ names }: RenderPlan, given: WorkerEntry, group: NodeGroup): WorkerEntry => {
  const entry = resizedEntry(given, group)
  const config = overrideOf(entry, VARIABLES.workerConfig)
  if (config === undefined) {
    const { namespace, cluster: name } = names
    throw changedByHand({ namespace, name }, `the variable ${VARIABLES.workerConfig} of ${entry.name}`)
  }
  const changed = { name: VARIABLES.workerConfig, value: configWithMarks(config, group) }
  return { ...entry, variables: { overrides: withVariables(entry.variables?.overrides ?? [], [changed]) } }
}

/** An entry whose group is upgraded: all of it is made anew but its zone, and so many nodes at a time. */
export const upgradedEntry = (plan: RenderPlan, entry: WorkerEntry, group: NodeGroup): WorkerEntry => {
  const { failureDomain } = entry
  const batch = plan.task?.kind === 'upgrade' ? plan.task.maxBatchSize : 1
  return {
    ...newEntry(plan, group),
    ...(failureDomain === undefined ? {} : { failureDomain }),
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: batch, maxUnavailable: 0 } } },
  }
}

/** An entry whose group stays at its version for now. */
export const deferredEntry = (entry: WorkerEntry): WorkerEntry => ({
  ...entry,
  metadata: { ...entry.metadata, annotations: { ...entry.metadata?.annotations, [DEFER_UPGRADE]: 'true' } },
})
