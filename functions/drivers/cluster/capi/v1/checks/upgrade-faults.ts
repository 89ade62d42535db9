import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import { isMaster } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import { isOlderVersion, skipsMinor } from '../../../../../core/values/kubernetes-version.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { currentVersion, groupsLeft, targetVersion, upgradesControlPlane, wantedLabels } from '../desired.ts'
import { clusterValues, labelFaults } from '../labels.ts'
import { apiServerFaults } from './api-server-faults.ts'
import { infrastructureOfPlan } from './group-faults.ts'
import { replacementFaults } from './network-faults.ts'
import { templateFaults } from './template-faults.ts'

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
export const upgradeFaults = (plan: PlannedCluster, task: Upgrade): string[] => [
  ...(plan.template === null ? [] : templateFaults(plan.template.spec, infrastructureOfPlan(plan))),
  ...newLabelFaults(plan),
  ...versionFaults(plan, task),
  ...masterFaults(plan, task),
]
