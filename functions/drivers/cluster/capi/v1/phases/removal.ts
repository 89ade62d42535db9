import { createHash } from 'node:crypto'
import type { NodeGroup } from '../../../../../domain/node-group.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import type { Machine } from '../management/objects.schema.ts'
import { DELETE_MACHINE, machines as machineResource } from '../management/resources.ts'
import type { ManagementSite } from '../management/site.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isCalled } from '../status/addresses.ts'
import { isSettled } from '../status/conditions.ts'
import { livingMachines, machinesOf, makerOf } from '../status/groups.ts'
import { type Removal, storedRemoval } from './removal.schema.ts'

/** Names a task of an operation. */
export const titleOf = ({ cluster: { operation }, task }: ClusterContext): string =>
  createHash('sha256')
    .update(JSON.stringify([operation?.id, task]))
    .digest('hex')
    .slice(0, 16)

export const removalOf = (context: ClusterContext): Removal | undefined =>
  storedRemoval(context.cluster, titleOf(context))

/**
 * Which machines go, and how many nodes there are then: named ones first, then others down to the count. A name that is gone already still takes a
 * place among those to go, so that nobody goes in its stead (rule C16).
 */
export const decideRemoval = (context: ClusterContext, snapshot: Snapshot, group: NodeGroup): Removal => {
  const named = context.task?.kind === 'resize' ? context.task.nodesToRemove : []
  const living = livingMachines(snapshot, group)
  const chosen = living.filter((machine) => named.some((name) => isCalled(machine, name)))
  const others = Math.max(0, living.length - group.nodeCount - named.length)
  return {
    of: titleOf(context),
    count: named.length === 0 ? group.nodeCount : Math.max(group.nodeCount, living.length - chosen.length - others),
    machines: chosen.map(({ metadata }) => metadata.name),
  }
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

/** Marks the machines, so that they go first when the count is lowered. */
export const markRemoval = async (
  site: ManagementSite,
  snapshot: Snapshot,
  group: NodeGroup,
  removal: Removal,
): Promise<void> => {
  for (const machine of chosenOf(snapshot, group, removal)) await annotate(site, machine, 'fedplane')
}

/** Takes the marks back from those that are still there. */
export const unmarkRemoval = async (
  site: ManagementSite,
  snapshot: Snapshot,
  group: NodeGroup,
  removal: Removal,
): Promise<void> => {
  for (const machine of chosenOf(snapshot, group, removal)) await annotate(site, machine, null)
}

/**
 * Deletes those of the machines that lowering the count has not taken: they are replaced. Not before the count is reached, else machines that should
 * stay would be taken for too many.
 */
export const replaceRemaining = async (
  site: ManagementSite,
  snapshot: Snapshot,
  group: NodeGroup,
  removal: Removal,
): Promise<void> => {
  const maker = makerOf(snapshot, group)
  const isReached = maker !== undefined && isSettled(maker) && maker.spec.replicas === removal.count
  if (!isReached || livingMachines(snapshot, group).length > removal.count) return
  for (const { metadata } of chosenOf(snapshot, group, removal)) {
    await site.client.delete(machineResource(site.names.namespace), metadata.name, { uid: metadata.uid })
  }
}

/** True when none of them is there any more. */
export const isRemovalDone = (snapshot: Snapshot, group: NodeGroup, { machines }: Removal): boolean =>
  !machinesOf(snapshot, group).some(({ metadata }) => machines.includes(metadata.name))
