import { nodeGroupOf } from '../../../../core/cluster/cluster-task.ts'
import { isMaster, type NodeGroup } from '../../../../core/cluster/node-group.ts'
import type { PlannedCluster } from '../../../contract/cluster-driver-description.ts'
import { countFaults, infrastructureOfPlan, newGroupFaults } from './checks/group-faults.ts'
import { replacementFaults } from './checks/network-faults.ts'
import { newClusterFaults } from './checks/new-cluster-faults.ts'
import { sizeFaults } from './checks/size-faults.ts'
import { upgradeFaults } from './checks/upgrade-faults.ts'

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
 * Faults of a wish, one sentence each. Looks at what the task changes only, so that faults of old keep nobody from repairing or deleting (rule C14). What may
 * have changed by the time a task that waited begins is looked at again then, with this same function.
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
