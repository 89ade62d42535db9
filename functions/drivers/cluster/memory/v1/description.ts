import { nodeGroupOf } from '../../../../core/cluster/cluster-task.ts'
import { isMaster, type NodeGroup } from '../../../../core/cluster/node-group.ts'
import { byNumber, listInWords, quote } from '../../../../core/values/wording.ts'
import {
  CLUSTER_CONTRACT,
  type ClusterDriverDescription,
  type PlannedCluster,
} from '../../../contract/cluster-driver-description.ts'
import { changedNodes, GROUPS_MAX, NODES_MAX, simulatedNodes, unknownNodes } from './nodes.ts'
import { CLUSTER_LABELS, GROUP_LABELS, labelFaults } from './schema.ts'
import { upgradeFaults } from './versions.ts'

/** The count that a group shall have: the task says so, whether or not it is in the group already. */
const countOf = ({ task }: PlannedCluster, group: NodeGroup): number => {
  if (task === null || nodeGroupOf(task) !== group.id || !('nodeCount' in task)) return group.nodeCount
  return task.nodeCount ?? group.nodeCount
}

/** The count that comes of it: more than was asked for when fewer nodes are named than shall go. */
const remainingOf = (plan: PlannedCluster, group: NodeGroup): number => {
  const { cluster, task } = plan
  const count = countOf(plan, group)
  if (task?.kind !== 'resize' || task.nodeGroupId !== group.id) return count
  return simulatedNodes(cluster, group, changedNodes(cluster, group, { count, toRemove: task.nodesToRemove })).length
}

const masterFaults = (plan: PlannedCluster, groups: readonly NodeGroup[]): string[] =>
  groups.filter(isMaster).flatMap((group) => {
    const count = remainingOf(plan, group)
    if (count % 2 === 1) return []
    return [`Node group ${group.name} would have ${count} masters; give an odd number, so that etcd keeps a majority.`]
  })

const totalFaults = (plan: PlannedCluster): string[] => {
  const total = plan.nodeGroups.reduce((sum, group) => sum + countOf(plan, group), 0)
  return total <= NODES_MAX ? [] : [`The cluster would have ${total} nodes; memory@1 simulates ${NODES_MAX} at most.`]
}

/** Names of nodes that the group never had: to remove none of them would look like success. */
const nodeFaults = ({ cluster }: PlannedCluster, groups: readonly NodeGroup[], names: readonly string[]): string[] =>
  groups.flatMap((group) => {
    const unknown = unknownNodes(cluster, group, names)
    if (unknown.length === 0) return []
    const nodes = simulatedNodes(cluster, group).map(({ name, address }) => `${name} (${address})`)
    return [
      `Node group ${group.name} has no ${byNumber(unknown, 'node', 'nodes')} ${listInWords(unknown.map(quote), 5)}. ` +
        (nodes.length === 0 ? 'It has none at all.' : `Its nodes are ${listInWords(nodes, 5)}.`),
    ]
  })

const groupFaults = (groups: readonly NodeGroup[]): string[] =>
  groups.flatMap(({ name, number, labels }) => [
    ...labelFaults(GROUP_LABELS, labels, `node group ${name}`),
    ...(number <= GROUPS_MAX
      ? []
      : [`Node group ${name} would be number ${number} of the cluster; memory@1 simulates ${GROUPS_MAX} at most.`]),
  ])

/** The labels that count: a cluster's own, and the version that its template names. */
const newClusterFaults = ({ cluster, template, nodeGroups }: PlannedCluster): string[] => [
  ...labelFaults(CLUSTER_LABELS, cluster.magnum.labels, 'the cluster'),
  ...('kube_tag' in cluster.magnum.labels ? [] : templateFaults(template)),
  ...groupFaults(nodeGroups),
]

const templateFaults = (template: PlannedCluster['template']): string[] =>
  labelFaults({ kube_tag: CLUSTER_LABELS.kube_tag }, template?.spec.labels ?? {}, 'the cluster template')

/** Faults of a request, one sentence each. Counts are checked only where the request changes them, so that what is there can be repaired. */
const check = (plan: PlannedCluster): string[] => {
  const { task, nodeGroups } = plan
  const own = nodeGroups.filter(({ id }) => task !== null && id === nodeGroupOf(task))
  switch (task?.kind) {
    case undefined:
      return [...newClusterFaults(plan), ...masterFaults(plan, nodeGroups), ...totalFaults(plan)]
    case 'resize':
      return [...nodeFaults(plan, own, task.nodesToRemove), ...masterFaults(plan, own), ...totalFaults(plan)]
    case 'node-group-update':
      return [...masterFaults(plan, own), ...totalFaults(plan)]
    case 'node-group-create':
      return [...groupFaults(own), ...totalFaults(plan)]
    case 'upgrade':
      return [...templateFaults(plan.template), ...upgradeFaults({ ...plan, task })]
    default:
      return []
  }
}

/** What memory@1 for clusters says. */
export const memoryClusterV1Description = {
  id: 'memory@1',
  contract: CLUSTER_CONTRACT,
  description: 'Plays the whole life of a cluster without one: for tests and for trying the API out.',
  capabilities: {
    needsKubeconfig: false,
    kubernetesApi: false,
    makesNodes: true,
    certificateAuthority: true,
    needsManagement: false,
  },
  builtinTemplate: null,
  updates: [
    'resize',
    'node-group-create',
    'node-group-update',
    'node-group-delete',
    'upgrade',
    'rotate-authority',
    'rotate-credential',
  ],
  check,
} satisfies ClusterDriverDescription
