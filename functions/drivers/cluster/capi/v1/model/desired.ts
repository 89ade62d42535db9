import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import { KUBERNETES_VERSION, withV } from '../../../../../core/values/kubernetes.ts'
import { followLabels, type Labels } from '../../../../../core/values/labels.ts'
import { groupValues } from './labels.ts'

type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

/** A cluster as it is or shall be, for whoever reads what is wanted of it. */
export type Wanted = {
  cluster: Cluster
  /** During an upgrade the new one. */
  template: ClusterTemplate | null
  nodeGroups: readonly NodeGroup[]
  task: ClusterTask | null
}

/** The labels of the cluster; during an upgrade as they will be after it. */
export const wantedLabels = ({ cluster: { magnum }, template, task }: Wanted): Labels =>
  task?.kind === 'upgrade' && template !== null
    ? followLabels(magnum.labels, magnum.templateLabels, template.spec.labels)
    : magnum.labels

/** The labels of a node group, likewise. */
export const wantedGroupLabels = (wanted: Wanted, group: NodeGroup): Labels =>
  wanted.task?.kind === 'upgrade'
    ? followLabels(group.labels, wanted.cluster.magnum.labels, wantedLabels(wanted))
    : group.labels

const tagOf = (labels: Labels | undefined): string | undefined => {
  const tag = labels?.kube_tag
  return tag !== undefined && KUBERNETES_VERSION.test(tag) ? withV(tag) : undefined
}

/** Version of a cluster that is to be made: its own label, else its template's. Undefined: neither says one that can be read. */
export const firstVersion = ({
  cluster: { magnum },
  template,
}: Pick<Wanted, 'cluster' | 'template'>): string | undefined =>
  tagOf(magnum.labels) ?? tagOf(template?.spec.labels) ?? tagOf(magnum.templateLabels)

/** Version of the control plane, as the driver told it last; before that the one that is to be made. */
export const currentVersion = (wanted: Wanted): string | undefined =>
  wanted.nodeGroups.find(isMaster)?.version ?? firstVersion({ cluster: wanted.cluster, template: null })

/** True when an upgrade is about the control plane too. */
export const upgradesControlPlane = ({ nodeGroups }: Pick<Wanted, 'nodeGroups'>, { nodeGroupId }: Upgrade): boolean =>
  nodeGroupId === null || nodeGroups.some((group) => group.id === nodeGroupId && isMaster(group))

/** Version that an upgrade leads to: the template's, or for worker groups alone the control plane's. Undefined: the template names none. */
export const targetVersion = (wanted: Wanted, task: Upgrade): string | undefined =>
  upgradesControlPlane(wanted, task) ? tagOf(wanted.template?.spec.labels) : currentVersion(wanted)

/** The worker groups that an upgrade leaves as they are. */
export const groupsLeft = ({ nodeGroups }: Pick<Wanted, 'nodeGroups'>, task: Upgrade): NodeGroup[] =>
  nodeGroups.filter((group) => !isMaster(group) && !isAbout(task, group))

/** Between how many nodes an autoscaler may choose. */
type Autoscaling = { min: number; max: number }

/** The most nodes of a group: its own limit, or for the default one what its label says, as in Magnum. Undefined: no limit. 0 is none either. */
export const mostOf = (group: NodeGroup): number | undefined => {
  const label = group.isDefault ? groupValues(group.labels).max_node_count : undefined
  return group.maxNodeCount || label || undefined
}

/** True when the labels ask for it; without a limit it still can't be. */
export const wantsAutoscaling = (group: NodeGroup): boolean =>
  !isMaster(group) && groupValues(group.labels).auto_scaling_enabled

/**
 * The range of a worker group that an autoscaler scales; undefined for one that has the number of nodes that was asked for. A group is scaled when its
 * label `auto_scaling_enabled` says so, it has a most, and that is not its fewest.
 */
export const autoscalingOf = (group: NodeGroup): Autoscaling | undefined => {
  const max = mostOf(group)
  if (!wantsAutoscaling(group) || max === undefined || max === group.minNodeCount) return undefined
  return { min: group.minNodeCount, max }
}
