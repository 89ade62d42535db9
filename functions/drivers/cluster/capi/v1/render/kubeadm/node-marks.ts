import { isMaster, type NodeGroup, type NodeTaint } from '../../../../../../core/cluster/node-group.ts'
import type { Json, JsonObject } from '../../../../../../core/values/json.ts'
import { isLabelValue } from '../../../../../../core/values/kubernetes-syntax.ts'
import { compact } from '../compact.ts'

/** Labels of nodes that Magnum's own drivers set; workloads select nodes of a group by them. */
const ROLE_LABEL = 'magnum.openstack.org/role'
const GROUP_LABEL = 'magnum.openstack.org/nodegroup'

const NODE_LABELS = 'node-labels'

/** What kubeadm gives a control plane when no taints are said; said ones replace it. */
const CONTROL_PLANE_TAINT: NodeTaint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }

/** Labels of a group's nodes: its own, and which group it is. */
export const nodeLabelsOf = ({ name, role, nodeLabels }: NodeGroup): Record<string, string> => ({
  [ROLE_LABEL]: isLabelValue(role) ? role : 'worker',
  ...(isLabelValue(name) ? { [GROUP_LABEL]: name } : {}),
  ...nodeLabels,
})

const taintsOf = (group: NodeGroup): readonly NodeTaint[] =>
  isMaster(group) && group.nodeTaints.length > 0 ? [CONTROL_PLANE_TAINT, ...group.nodeTaints] : group.nodeTaints

const isNodeLabels = (argument: Json): boolean =>
  typeof argument === 'object' && argument !== null && !Array.isArray(argument) && argument.name === NODE_LABELS

/**
 * A `nodeRegistration` with the group's labels and taints, all else as it was. They are set by the kubelet when it joins: Cluster API's own `taints` need a
 * feature gate that is off (alpha in 1.13), and it keeps only labels of a few prefixes on nodes. So another label means other machines.
 */
export const withMarks = (registration: JsonObject, group: NodeGroup): JsonObject => {
  const given = Array.isArray(registration.kubeletExtraArgs) ? registration.kubeletExtraArgs : []
  const value = Object.entries(nodeLabelsOf(group))
    .map(([key, text]) => `${key}=${text}`)
    .join(',')
  const { taints: _, ...rest } = registration
  return {
    ...rest,
    kubeletExtraArgs: [...given.filter((argument) => !isNodeLabels(argument)), { name: NODE_LABELS, value }],
    ...compact({ taints: taintsOf(group).map(({ key, value: text, effect }) => ({ key, value: text, effect })) }),
  }
}

const asObject = (value: Json | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined

/** A kubeadm configuration with the group's labels and taints, wherever it registers a node. */
export const configWithMarks = (config: JsonObject, group: NodeGroup): JsonObject => {
  const parts = ['initConfiguration', 'joinConfiguration'].flatMap((part): [string, JsonObject][] => {
    const section = asObject(config[part])
    const registration = asObject(section?.nodeRegistration)
    if (section === undefined || registration === undefined) return []
    return [[part, { ...section, nodeRegistration: withMarks(registration, group) }]]
  })
  return { ...config, ...Object.fromEntries(parts) }
}
