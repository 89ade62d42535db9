import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../../../core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../core/cluster/task-groups.ts'
import { isOlderVersion, KUBERNETES_VERSION, skipsMinor, withV } from '../../../../core/values/kubernetes.ts'

/** Of clusters whose labels name none. */
const DEFAULT_VERSION = 'v1.36.0'

/** Key in `driverState` for the version of the control plane. */
export const VERSION = 'memory-version'

type Labels = Readonly<Record<string, string>>
type Upgrade = Extract<ClusterTask, { kind: 'upgrade' }>

const tagOf = (labels: Labels | undefined): string | undefined => {
  const tag = labels?.kube_tag
  return tag !== undefined && KUBERNETES_VERSION.test(tag) ? withV(tag) : undefined
}

/** Version of a cluster that is to be made: its own label, else its template's. */
export const firstVersion = ({ magnum }: Cluster, template: ClusterTemplate | null): string =>
  tagOf(magnum.labels) ?? tagOf(template?.spec.labels) ?? DEFAULT_VERSION

/** Version of a cluster's control plane. */
export const versionOf = (cluster: Cluster): string => {
  const stored = cluster.driverState[VERSION]
  return typeof stored === 'string' ? stored : firstVersion(cluster, null)
}

/** Version of a group's nodes. */
export const versionOfGroup = (cluster: Cluster, group: NodeGroup): string => group.version ?? versionOf(cluster)

/** An upgrade that is asked for, or under way. */
export type PlannedUpgrade = {
  cluster: Cluster
  /** The new one. */
  template: ClusterTemplate | null
  nodeGroups: readonly NodeGroup[]
  task: Upgrade
}

/**
 * Version that an upgrade leads to. One group that goes to the cluster's own template follows the control plane; a template that names no
 * version changes none.
 */
export const targetVersion = ({ cluster, template, task }: PlannedUpgrade): string => {
  const follows = task.nodeGroupId !== null && task.templateId === cluster.magnum.clusterTemplateId
  return (follows ? undefined : tagOf(template?.spec.labels)) ?? versionOf(cluster)
}

/** The groups that an upgrade is about: one, or the default ones. Others follow when they are upgraded themselves. */
export const groupsOfUpgrade = ({ nodeGroups, task }: PlannedUpgrade): NodeGroup[] =>
  nodeGroups.filter((group) => isAbout(task, group))

/** True when the upgrade is about the control plane too. */
export const upgradesMasters = (upgrade: PlannedUpgrade): boolean =>
  upgrade.task.nodeGroupId === null || groupsOfUpgrade(upgrade).some(isMaster)

const faultsOfMasters = (cluster: Cluster, target: string): string[] => {
  const current = versionOf(cluster)
  if (isOlderVersion(target, current)) {
    return [`Cluster ${cluster.name} runs Kubernetes ${current}; it can't go back to ${target}.`]
  }
  if (!skipsMinor(current, target)) return []
  return [
    `Cluster ${cluster.name} runs Kubernetes ${current}; it can't go to ${target} at once. Upgrade one minor version at a time.`,
  ]
}

const faultsOfGroups = (upgrade: PlannedUpgrade, target: string): string[] => {
  const { cluster } = upgrade
  const newest = upgradesMasters(upgrade) ? target : versionOf(cluster)
  return groupsOfUpgrade(upgrade)
    .filter((group) => !isMaster(group))
    .flatMap((group) => {
      const current = versionOfGroup(cluster, group)
      if (isOlderVersion(target, current)) {
        return [`Node group ${group.name} runs Kubernetes ${current}; it can't go back to ${target}.`]
      }
      if (!isOlderVersion(newest, target)) return []
      return [
        `Node group ${group.name} can't go to ${target}, newer than its control plane (${newest}); upgrade that first.`,
      ]
    })
}

/** Why an upgrade can't be: one sentence for each fault. A control plane goes up, by one minor version at most; nodes are never newer. */
export const upgradeFaults = (upgrade: PlannedUpgrade): string[] => {
  const target = targetVersion(upgrade)
  const masters = upgradesMasters(upgrade) ? faultsOfMasters(upgrade.cluster, target) : []
  return masters.length > 0 ? masters : faultsOfGroups(upgrade, target)
}
