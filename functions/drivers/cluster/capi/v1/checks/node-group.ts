import { isDeepStrictEqual } from 'node:util'
import { nodeGroupOf } from '../../../../../core/cluster/cluster-task.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isOlderVersion, KUBERNETES_VERSION, withV } from '../../../../../core/values/kubernetes.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { autoscalingOf, currentVersion, mostOf, wantsAutoscaling } from '../model/desired.ts'
import { type Infrastructure, infrastructureOf, NODES_MAX_DEFAULT, NODES_MAX_FIELD } from '../model/infrastructure.ts'
import { labelFaults } from '../model/labels.ts'

/** The count that a group shall have: the task says so, whether or not it is in the group already. */
const countOf = ({ task }: Pick<PlannedCluster, 'task'>, group: NodeGroup): number => {
  if (task === null || nodeGroupOf(task) !== group.id || !('nodeCount' in task)) return group.nodeCount
  return task.nodeCount ?? group.nodeCount
}

/** The infrastructure that a plan is for. */
export const infrastructureOfPlan = ({ management }: PlannedCluster): Infrastructure | undefined =>
  infrastructureOf(management?.options ?? {})

/** Members of etcd that still make sense: each write waits for more than half of them. */
const MASTERS_MAX = 9

const masterFaults = (plan: PlannedCluster, group: NodeGroup): string[] => {
  const count = countOf(plan, group)
  if (count > MASTERS_MAX) {
    return [
      `Node group ${group.name} would have ${count} masters; give an odd number of at most ${MASTERS_MAX}, so that etcd stays quick.`,
    ]
  }
  if (count % 2 === 0) {
    return [`Node group ${group.name} would have ${count} masters; give an odd number, so that etcd keeps a majority.`]
  }
  const needsBalancer = infrastructureOfPlan(plan) === 'openstack' && !plan.cluster.magnum.masterLbEnabled
  return count > 1 && needsBalancer
    ? [
        `Node group ${group.name} would have ${count} masters without a load balancer before them; say "master_lb_enabled" for the cluster, or give it one master.`,
      ]
    : []
}

/** A count outside of the range of an autoscaler would not last. */
const rangeFaults = (plan: PlannedCluster, group: NodeGroup): string[] => {
  const range = autoscalingOf(group)
  const count = countOf(plan, group)
  if (range === undefined) return []
  if (range.min > range.max) {
    return [
      `Label max_node_count of node group ${group.name} is ${range.max}, less than its fewest nodes, ${range.min}.`,
    ]
  }
  return count >= range.min && count <= range.max
    ? []
    : [`Node group ${group.name} is scaled between ${range.min} and ${range.max} nodes; ${count} is outside.`]
}

/** Cluster API keeps kubeadm from joining a node of another minor version than the control plane's. */
const behindFaults = (plan: PlannedCluster, group: NodeGroup): string[] => {
  const version = currentVersion(plan)
  const { version: own, name, reachedCount } = group
  if (own === null || version === undefined || countOf(plan, group) <= reachedCount) return []
  const isBehind = isOlderVersion(own, version) && own.split('.')[1] !== version.split('.')[1]
  return isBehind
    ? [
        `Node group ${name} runs Kubernetes ${own} and its control plane ${version}, so that it gets no new nodes; upgrade it first.`,
      ]
    : []
}

/** What is wrong with how many nodes a group shall have. */
export const countFaults = (plan: PlannedCluster, group: NodeGroup): string[] =>
  isMaster(group) ? masterFaults(plan, group) : [...rangeFaults(plan, group), ...behindFaults(plan, group)]

const flavorFaults = (plan: PlannedCluster, { name, flavorId, role }: NodeGroup): string[] =>
  infrastructureOfPlan(plan) !== 'openstack' || (flavorId !== null && flavorId !== '')
    ? []
    : [
        `Nothing says which flavor node group ${name} has; give "${role === 'master' ? 'master_flavor_id' : 'flavor_id'}".`,
      ]

/** A group with just its cluster's labels has the number of nodes that was asked for, where its cluster's workers are scaled. */
const isScaledByItself = ({ cluster }: PlannedCluster, group: NodeGroup): boolean =>
  group.isDefault || !isDeepStrictEqual(group.labels, cluster.magnum.labels)

const limitFaults = (plan: PlannedCluster, group: NodeGroup): string[] =>
  wantsAutoscaling(group) && mostOf(group) === undefined && isScaledByItself(plan, group)
    ? [
        `Label auto_scaling_enabled is true, and nothing says how many nodes group ${group.name} has at most; give ${group.isDefault ? 'the label max_node_count' : '"max_node_count"'}.`,
      ]
    : []

/** A label that a group was given itself, and that would have no effect. */
const versionFaults = (plan: PlannedCluster, { name, labels }: NodeGroup): string[] => {
  const { kube_tag: given } = labels
  const version = currentVersion(plan)
  const isOwn = given !== undefined && given !== '' && given !== plan.cluster.magnum.labels.kube_tag
  return isOwn && KUBERNETES_VERSION.test(given) && version !== undefined && withV(given) !== version
    ? [
        `Label kube_tag of node group ${name} is ${given}; a new group runs its cluster's version, ${version}: leave the label out.`,
      ]
    : []
}

/** What is wrong with a new group. `isAsked`: which of its labels are checked. */
export const newGroupFaults = (
  plan: PlannedCluster,
  group: NodeGroup,
  isAsked?: (key: string) => boolean,
): string[] => [
  ...labelFaults(group.labels, `node group ${group.name}`, infrastructureOfPlan(plan), isAsked),
  ...flavorFaults(plan, group),
  ...limitFaults(plan, group),
  ...versionFaults(plan, group),
  ...countFaults(plan, group),
]

const mostNodes = ({ management }: PlannedCluster): number =>
  Number(management?.options[NODES_MAX_FIELD] ?? NODES_MAX_DEFAULT)

/** How many nodes a group may come to: an autoscaler may go up to its most. */
const scopeOf = (plan: PlannedCluster, group: NodeGroup): number =>
  Math.max(countOf(plan, group), autoscalingOf(group)?.max ?? 0)

/** True for a change that may add nodes: what is there already keeps nobody from making it smaller. */
const isGrowth = (plan: PlannedCluster, group: NodeGroup): boolean => {
  const count = plan.task?.kind === 'resize' ? countOf(plan, group) : scopeOf(plan, group)
  return count > group.reachedCount
}

/** Groups that came to nothing have no nodes. */
const isPart = ({ task }: PlannedCluster, { id, status }: NodeGroup): boolean =>
  status !== 'CREATE_FAILED' || task === null || nodeGroupOf(task) === id

/**
 * More nodes than one cluster may have. Cluster API itself has no limit: it makes objects for each node before the cloud is asked for any, in the
 * management cluster that all projects share. `changed`: the groups that the plan is about.
 */
export const sizeFaults = (plan: PlannedCluster, changed: readonly NodeGroup[]): string[] => {
  const { cluster, management, nodeGroups, task } = plan
  if (task !== null && !changed.some((group) => isGrowth(plan, group))) return []
  const total = nodeGroups.filter((group) => isPart(plan, group)).reduce((sum, group) => sum + scopeOf(plan, group), 0)
  const most = mostNodes(plan)
  if (management === null || total <= most) return []
  return [
    `Cluster ${cluster.name} would have up to ${total} nodes, masters among them; a cluster of management cluster ${management.name} may have ${most} ("${NODES_MAX_FIELD}"). Ask for fewer, or its administrator for more.`,
  ]
}
