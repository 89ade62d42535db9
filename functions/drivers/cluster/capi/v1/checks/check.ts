import { type ClusterTask, nodeGroupOf } from '../../../../../core/cluster/cluster-task.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import { isOlderVersion, skipsMinor } from '../../../../../core/values/kubernetes.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { currentVersion, groupsLeft, targetVersion, upgradesControlPlane, wantedLabels } from '../model/desired.ts'
import { clusterValues, labelFaults } from '../model/labels.ts'
import { replacementFaults, templateFaults } from './networks.ts'
import { apiServerFaults, newClusterFaults } from './new-cluster.ts'
import { countFaults, infrastructureOfPlan, newGroupFaults, sizeFaults } from './node-group.ts'

type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

const missing = (plan: PlannedCluster): string =>
  `Nothing says which Kubernetes version the cluster template ${quote(plan.template?.name ?? plan.template?.id ?? '')} stands for; give it the label kube_tag, for example kube_tag=v1.36.0.`

const skewFaults = ({ cluster: { name } }: PlannedCluster, from: string, to: string): string[] => {
  if (isOlderVersion(to, from)) return [`Cluster ${name} runs Kubernetes ${from}; it can't go back to ${to}.`]
  return skipsMinor(from, to)
    ? [`Cluster ${name} runs Kubernetes ${from}; it can't go to ${to} at once. Upgrade one minor version at a time.`]
    : []
}

/** Cluster API takes no new version while a group is not at the present one. */
const behindFaults = (plan: PlannedCluster, task: Upgrade, from: string, to: string): string[] => {
  const behind = plan.nodeGroups.filter(
    (group) => !isMaster(group) && group.version !== null && group.version !== from && !isAbout(task, group),
  )
  if (from === to || behind.length === 0 || groupsLeft(plan, task).length === 0) return []
  const groups = listInWords(behind.map(({ name, version }) => `${name} (${version})`))
  return [
    `Node ${byNumber(behind, 'group', 'groups')} ${groups} ${byNumber(behind, 'is', 'are')} not yet at ${from}, the version of the control plane; upgrade ${byNumber(behind, 'it', 'them')} first, with "nodegroup".`,
  ]
}

const versionFaults = (plan: PlannedCluster, task: Upgrade): string[] => {
  const to = targetVersion(plan, task)
  if (to === undefined) return [missing(plan)]
  const from = currentVersion(plan)
  if (from === undefined || !upgradesControlPlane(plan, task)) return []
  const skew = skewFaults(plan, from, to)
  return skew.length > 0 ? skew : behindFaults(plan, task, from, to)
}

/** Only labels that the upgrade changes: those of old do not keep a cluster from it. */
const newLabelFaults = (plan: PlannedCluster): string[] => {
  const labels = wantedLabels(plan)
  const { labels: before } = plan.cluster.magnum
  return labelFaults(labels, 'the cluster template', infrastructureOfPlan(plan), (key) => labels[key] !== before[key])
}

/** Of the control plane, which gets new machines by it. */
const masterFaults = (plan: PlannedCluster, task: Upgrade): string[] =>
  upgradesControlPlane(plan, task)
    ? [
        ...(infrastructureOfPlan(plan) === 'openstack' ? replacementFaults(plan) : []),
        ...apiServerFaults(clusterValues(wantedLabels(plan))),
      ]
    : []

/** Why an upgrade can't be: one sentence for each fault. */
const upgradeFaults = (plan: PlannedCluster, task: Upgrade): string[] => [
  ...(plan.template === null ? [] : templateFaults(plan.template.spec, infrastructureOfPlan(plan))),
  ...newLabelFaults(plan),
  ...versionFaults(plan, task),
  ...masterFaults(plan, task),
]

const credentialFaults = (plan: PlannedCluster): string[] =>
  infrastructureOfPlan(plan) === 'dev'
    ? [
        `Cluster ${plan.cluster.name} has no credential of a cloud that could be rotated: its machines are only simulated.`,
      ]
    : []

const newRoleFaults = (plan: PlannedCluster, id: string | null): string[] =>
  plan.nodeGroups
    .filter((group) => group.id === id && isMaster(group))
    .map(({ name }) => `Node group ${name} can't be of masters: a cluster has one group of them, which can be resized.`)

/** Other labels or taints of masters are other masters. */
const marksFaults = (plan: PlannedCluster, group: NodeGroup): string[] =>
  infrastructureOfPlan(plan) === 'openstack' && isMaster(group) ? replacementFaults(plan) : []

/**
 * Faults of a request, one sentence each. Checks what the task changes only, so that faults of old keep nobody from repairing or deleting (rule C14). What may
 * have changed by the time a task that waited begins is observed again then, with this same function.
 */
export const check = (plan: PlannedCluster): string[] => {
  const { task, nodeGroups } = plan
  if (task === null) return newClusterFaults(plan)
  const own = nodeGroups.filter(({ id }) => id === nodeGroupOf(task))
  switch (task.kind) {
    case 'resize':
      return [...own.flatMap((group) => countFaults(plan, group)), ...sizeFaults(plan, own)]
    case 'node-group-update':
      return [
        ...own.flatMap((group) => [...countFaults(plan, group), ...marksFaults(plan, group)]),
        ...sizeFaults(plan, own),
      ]
    case 'node-group-create':
      return [
        ...newRoleFaults(plan, task.nodeGroupId),
        ...own.flatMap((group) => newGroupFaults(plan, group)),
        ...sizeFaults(plan, own),
      ]
    case 'upgrade':
      return upgradeFaults(plan, task)
    case 'rotate-credential':
      return credentialFaults(plan)
    default:
      return []
  }
}
