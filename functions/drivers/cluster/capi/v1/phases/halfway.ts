import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isGroupUp } from '../status/done.ts'
import { isDeferred, replicasOf, versionUnderway } from '../status/groups.ts'

/** What is to become of a group. */
type GroupChange = {
  group: NodeGroup
  /** Nodes that it is to have; null: as many as it has. */
  nodes: number | null
  /** Nothing but the number of its nodes changes. */
  isOnlyNumber: boolean
  /** It is brought to the present template, which is what mends it after an upgrade that failed. */
  isUpgrade: boolean
}

/** Fewer nodes of workers are all that Cluster API does without its control plane. */
const isPossibleMeanwhile = (snapshot: Snapshot, { group, nodes, isOnlyNumber }: GroupChange): boolean =>
  isDeferred(snapshot, group) && isOnlyNumber && (nodes ?? 0) <= (replicasOf(snapshot, group) ?? 0)

const ofCluster = ({ cluster: { name } }: ClusterContext, version: string): string =>
  `Cluster ${name} can't be changed so now: its control plane is on its way to ${version} since an upgrade that failed, and before it is there no nodes are made or changed. ` +
  `Upgrade the cluster again first, to a cluster template with the label kube_tag=${version}; until then node groups can be deleted, and those of workers made smaller.`

const ofGroup = (group: NodeGroup, version: string | undefined): string => {
  const { name, isDefault } = group
  const again = isDefault
    ? `Upgrade the cluster again first, to a cluster template with the label kube_tag=${version} whose machines come up`
    : 'Upgrade it again first, with "nodegroup"'
  const others = isDefault ? ', or resize it to 0' : ', or resize it to 0, or delete it'
  return `Node group ${name} can't be changed so now: its upgrade failed, and machines of it do not come up. ${again}${isMaster(group) ? '' : others}.`
}

/**
 * Why a change of a group would not come to its end since an upgrade failed: what that has begun stays begun (decision 0025). Undefined when it may.
 */
export const halfwayFault = (context: ClusterContext, snapshot: Snapshot, change: GroupChange): string | undefined => {
  const { group, nodes, isUpgrade } = change
  const version = versionUnderway(snapshot)
  if (version !== undefined) {
    return isPossibleMeanwhile(snapshot, change) ? undefined : ofCluster(context, version)
  }
  const isStuck = group.failedTask === 'upgrade' && !isGroupUp(snapshot, group)
  if (!isStuck || isUpgrade || nodes === 0) return undefined
  return ofGroup(group, snapshot.cluster?.spec.topology?.version)
}
