import { isIP } from 'node:net'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { agrees } from '../../../../support/owned.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isAsWanted } from '../management/wanted.ts'
import { upgradesControlPlane } from '../model/desired.ts'
import { machineDeploymentName } from '../model/names.ts'
import { entriesOf, specOf, type WorkerEntry } from '../render/topology.ts'
import { isGroupUp } from '../status/done.ts'
import {
  addressOf,
  deploymentOf,
  isCalled,
  isDeferred,
  livingMachines,
  machinesOf,
  makerOf,
  replicasOf,
  versionUnderway,
} from '../status/groups.ts'
import { decideRemoval, removalFault } from './removal.ts'
import { groupOf } from './update.ts'

/** What is to become of a group. */
type GroupChange = {
  group: NodeGroup
  /** Nodes that it is to have; null: as many as it has. */
  nodes: number | null
  /** Nothing but the number of its nodes changes. */
  isOnlyNumber: boolean
  /** It is brought to the present template, which is what repairs it after an upgrade that failed. */
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
const partialUpgradeFault = (context: ClusterContext, snapshot: Snapshot, change: GroupChange): string | undefined => {
  const { group, nodes, isUpgrade } = change
  const version = versionUnderway(snapshot)
  if (version !== undefined) {
    return isPossibleMeanwhile(snapshot, change) ? undefined : ofCluster(context, version)
  }
  const isStuck = group.failedTask === 'upgrade' && !isGroupUp(snapshot, group)
  if (!isStuck || isUpgrade || nodes === 0) return undefined
  return ofGroup(group, snapshot.cluster?.spec.topology?.version)
}

const entryIn = (object: KubernetesObject, name: string): Omit<WorkerEntry, 'replicas'> | undefined => {
  const found = entriesOf(specOf(object)).find((entry) => entry.name === name)
  if (found === undefined) return undefined
  const { replicas: _, ...entry } = found
  return entry
}

/** True when no more changes of a group than its number of nodes. */
const isOnlyNumber = (group: NodeGroup, { object }: Snapshot, wanted: KubernetesObject): boolean => {
  const name = machineDeploymentName(group)
  return object !== undefined && agrees(entryIn(object, name), entryIn(wanted, name))
}

/**
 * Why nothing but the number of nodes can change of a group that an upgrade has left behind: Cluster API leaves it as it is. Undefined when no more than that
 * is to change, and for other groups.
 */
const leftGroup = (context: ClusterContext, snapshot: Snapshot, wanted: KubernetesObject): string | undefined => {
  const group = groupOf(context)
  const { object, cluster } = snapshot
  if (context.task?.kind !== 'node-group-update' || group === undefined || object === undefined) return undefined
  if (!isDeferred(snapshot, group) || isOnlyNumber(group, snapshot, wanted)) return undefined
  const version = deploymentOf(snapshot, group)?.spec.template.spec.version
  return `Node group ${group.name} runs Kubernetes ${version} and its control plane ${cluster?.spec.topology?.version}, so that nothing of it changes but its number of nodes; upgrade it first.`
}

const NAMES_MAX = 5
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A name that one of its nodes may have had: what they are called by begins with what makes them; addresses and ids tell nothing. */
const mayHaveBeen = (snapshot: Snapshot, group: NodeGroup, name: string): boolean =>
  isIP(name) !== 0 || ID.test(name) || name.startsWith(`${makerOf(snapshot, group)?.metadata.name}-`)

const isKnown = (snapshot: Snapshot, group: NodeGroup, name: string): boolean => {
  if (machinesOf(snapshot, group).some((machine) => isCalled(machine, name))) return true
  const isOther = snapshot.machines.some((machine) => isCalled(machine, name))
  return !isOther && mayHaveBeen(snapshot, group, name)
}

/**
 * What is wrong with the nodes that a resize is to remove: one that the group never had would seem removed. Those that are gone are no fault (rule
 * C16). Undefined when nothing is.
 */
const unknownNodes = ({ task }: ClusterContext, snapshot: Snapshot, group: NodeGroup): string | undefined => {
  if (task?.kind !== 'resize' || snapshot.cluster === undefined) return undefined
  const unknown = task.nodesToRemove.filter((name) => !isKnown(snapshot, group, name))
  if (unknown.length === 0) return undefined
  const nodes = livingMachines(snapshot, group).map((machine) => addressOf(machine) ?? machine.metadata.name)
  return (
    `Node group ${group.name} has no ${byNumber(unknown, 'node', 'nodes')} ${listInWords(unknown.map(quote), NAMES_MAX)}. ` +
    (nodes.length === 0 ? 'It has none at all.' : `Its nodes are ${listInWords(nodes, NAMES_MAX)}.`)
  )
}

/** Why a resize can't be, of the nodes that there are. Undefined when it can. */
export const resizeFault = (context: ClusterContext, snapshot: Snapshot, group: NodeGroup): string | undefined => {
  const removal = decideRemoval(context, snapshot, group)
  return (
    unknownNodes(context, snapshot, group) ??
    removalFault(context, snapshot, group, removal) ??
    partialUpgradeFault(context, snapshot, { group, nodes: removal.count, isOnlyNumber: true, isUpgrade: false })
  )
}

/** True for limits, labels or taints that change nothing of the Cluster: done at once, whatever its machines wait for. */
export const changesNothing = ({ task }: ClusterContext, { object }: Snapshot, wanted: KubernetesObject): boolean =>
  task?.kind === 'node-group-update' && task.nodeCount === null && object !== undefined && isAsWanted(object, wanted)

/** Why a change of a group can't be, of the Cluster as it is. Undefined when it can, and for changes of no group. */
export const groupFault = (
  context: ClusterContext,
  snapshot: Snapshot,
  wanted: KubernetesObject,
): string | undefined => {
  const { task } = context
  const group = groupOf(context)
  if (group === undefined || changesNothing(context, snapshot, wanted)) return undefined
  switch (task?.kind) {
    case 'resize':
      return resizeFault(context, snapshot, group)
    case 'node-group-update': {
      const change = {
        group,
        nodes: task.nodeCount,
        isOnlyNumber: isOnlyNumber(group, snapshot, wanted),
        isUpgrade: false,
      }
      return partialUpgradeFault(context, snapshot, change) ?? leftGroup(context, snapshot, wanted)
    }
    case 'node-group-create':
      return partialUpgradeFault(context, snapshot, { group, nodes: null, isOnlyNumber: false, isUpgrade: false })
    case 'upgrade':
      return upgradesControlPlane(context, task)
        ? undefined
        : partialUpgradeFault(context, snapshot, { group, nodes: null, isOnlyNumber: false, isUpgrade: true })
    default:
      return undefined
  }
}
