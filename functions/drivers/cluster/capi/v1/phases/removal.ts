import { createHash } from 'node:crypto'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { isLeaving, isSettled, type Machine } from '../management/objects.schema.ts'
import type { ManagementSite, Snapshot } from '../management/snapshot.ts'
import { DELETE_MACHINE, machines as machineResource } from '../model/names.ts'
import { change, type Removal, removal } from '../model/state.schema.ts'
import { isCalled, livingMachines, machinesOf, makerOf, replicasOf } from '../status/groups.ts'

/** Names a task of an operation. */
export const titleOf = ({ cluster: { operation }, task }: ClusterContext): string =>
  createHash('sha256')
    .update(JSON.stringify([operation?.id, task]))
    .digest('hex')
    .slice(0, 16)

export const removalOf = (context: ClusterContext): Removal | undefined =>
  removal.stored(context.cluster, titleOf(context))

/** A group, and what was decided of its machines. */
export type Resize = { group: NodeGroup; removal: Removal }

type Named = {
  /** Machines that are there, each once whatever it is named by. */
  machines: Machine[]
  /** How many are gone already, or on their way. */
  gone: number
}

const namedIn = (snapshot: Snapshot, group: NodeGroup, names: readonly string[]): Named => {
  const all = machinesOf(snapshot, group)
  const found = all.filter((machine) => names.some((name) => isCalled(machine, name)))
  const machines = found.filter((machine) => !isLeaving(machine))
  const unknown = [...new Set(names)].filter((name) => !all.some((machine) => isCalled(machine, name)))
  return { machines, gone: found.length - machines.length + unknown.length }
}

/** Machines that a rollout has made beside those that stay are none to take away. */
const presentCount = (snapshot: Snapshot, group: NodeGroup): number => {
  const { length } = livingMachines(snapshot, group)
  return Math.min(length, replicasOf(snapshot, group) ?? length)
}

const namesOf = ({ task }: ClusterContext): readonly string[] => (task?.kind === 'resize' ? task.nodesToRemove : [])

/**
 * Which machines go, and how many nodes there are then: named ones first, then others down to the count. A name that is gone already still takes a
 * place among those to go, so that nobody goes in its stead (rule C16).
 */
export const decideRemoval = (context: ClusterContext, snapshot: Snapshot, group: NodeGroup): Removal => {
  const names = namesOf(context)
  const { machines, gone } = namedIn(snapshot, group, names)
  const present = presentCount(snapshot, group)
  const others = Math.max(0, present - group.nodeCount - machines.length - gone)
  return {
    of: titleOf(context),
    count: names.length === 0 ? group.nodeCount : Math.max(group.nodeCount, present - machines.length - others),
    machines: machines.map(({ metadata }) => metadata.name),
  }
}

/** Why what was decided can't be: an odd number of masters was asked for, and of those to go some are gone. Undefined when it can. */
export const removalFault = (
  context: ClusterContext,
  snapshot: Snapshot,
  group: NodeGroup,
  { count }: Removal,
): string | undefined => {
  if (!isMaster(group) || count === group.nodeCount || count % 2 === 1) return undefined
  const living = livingMachines(snapshot, group)
  const gone = [...new Set(namesOf(context))].filter((name) => !living.some((machine) => isCalled(machine, name)))
  return (
    `Node group ${group.name} would have ${count} masters instead of ${group.nodeCount}: of the nodes to remove ` +
    `${listInWords(gone.map(quote), 5)} ${byNumber(gone, 'is', 'are')} gone already, and no other goes in ${byNumber(gone, 'its', 'their')} stead. ` +
    `Leave ${byNumber(gone, 'it', 'them')} out, so that an odd number is left and etcd keeps a majority.`
  )
}

const chosenOf = (snapshot: Snapshot, group: NodeGroup, { machines }: Removal): Machine[] =>
  livingMachines(snapshot, group).filter(({ metadata }) => machines.includes(metadata.name))

const annotate = async (
  { client, names }: ManagementSite,
  { metadata }: Machine,
  value: string | null,
): Promise<void> => {
  if ((metadata.annotations[DELETE_MACHINE] ?? null) === value) return
  const annotations = { [DELETE_MACHINE]: value }
  await client.patch(machineResource(names.namespace), metadata.name, { metadata: { annotations } })
}

/** Marks the machines, so that they go first when the count is lowered, or takes the marks back from those that are still there. */
export const markRemoval = async (
  site: ManagementSite,
  snapshot: Snapshot,
  { group, removal }: Resize,
  isMarked: boolean,
): Promise<void> => {
  for (const machine of chosenOf(snapshot, group, removal)) await annotate(site, machine, isMarked ? 'fedplane' : null)
}

/**
 * Deletes those of the machines that lowering the count has not taken: they are replaced. Not before the count is reached, else machines that should
 * stay would be taken for too many.
 */
export const replaceRemaining = async (
  site: ManagementSite,
  snapshot: Snapshot,
  { group, removal }: Resize,
): Promise<void> => {
  const maker = makerOf(snapshot, group)
  const isReached = maker !== undefined && isSettled(maker) && maker.spec.replicas === removal.count
  if (!isReached || livingMachines(snapshot, group).length > removal.count) return
  for (const { metadata } of chosenOf(snapshot, group, removal)) {
    await site.client.delete(machineResource(site.names.namespace), metadata.name, { uid: metadata.uid })
  }
}

/** True when none of them is there any more. */
export const isRemovalDone = (snapshot: Snapshot, { group, removal: { machines } }: Resize): boolean =>
  !machinesOf(snapshot, group).some(({ metadata }) => machines.includes(metadata.name))

/**
 * True for a change of a group that changes nothing of it. Such a one is over at once, whatever its machines wait for: it is how people say that a failed change
 * is settled, and what an upgrade that failed has begun may never come to its end.
 */
export const isNoOp = (context: ClusterContext): boolean =>
  change.stored(context.cluster, titleOf(context))?.isNoOp === true
