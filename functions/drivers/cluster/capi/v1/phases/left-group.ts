import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { agrees } from '../../../../support/covers.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { machineDeploymentName } from '../render/names.ts'
import { entriesOf, specOf, type WorkerEntry } from '../render/topology.ts'
import { deploymentOf, isDeferred } from '../status/groups.ts'
import { groupOf } from './update.ts'

const entryIn = (object: KubernetesObject, name: string): Omit<WorkerEntry, 'replicas'> | undefined => {
  const found = entriesOf(specOf(object)).find((entry) => entry.name === name)
  if (found === undefined) return undefined
  const { replicas: _, ...entry } = found
  return entry
}

/** True when no more changes of a group than its number of nodes. */
export const isOnlyNumber = (group: NodeGroup, { object }: Snapshot, wanted: KubernetesObject): boolean => {
  const name = machineDeploymentName(group)
  return object !== undefined && agrees(entryIn(object, name), entryIn(wanted, name))
}

/**
 * Why nothing but the number of nodes can change of a group that an upgrade has left behind: Cluster API leaves it as it is. Undefined when no more than that
 * is to change, and for other groups.
 */
export const leftGroup = (
  context: ClusterContext,
  snapshot: Snapshot,
  wanted: KubernetesObject,
): string | undefined => {
  const group = groupOf(context)
  const { object, cluster } = snapshot
  if (context.task?.kind !== 'node-group-update' || group === undefined || object === undefined) return undefined
  if (!isDeferred(snapshot, group) || isOnlyNumber(group, snapshot, wanted)) return undefined
  const version = deploymentOf(snapshot, group)?.spec.template.spec.version
  return `Node group ${group.name} runs Kubernetes ${version} and its control plane ${cluster?.spec.topology?.version}, so that nothing of it changes but its number of nodes; upgrade it first.`
}
