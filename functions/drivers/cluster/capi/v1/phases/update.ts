import { type ClusterTask, nodeGroupOf } from '../../../../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { AppError } from '../../../../../core/values/app-error.ts'
import type {
  ClusterContext,
  ClusterPhase,
  ClusterStepResult,
  NodeGroupResult,
} from '../../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../../contract/errors.ts'
import { Pending, step } from '../../../../support/step.ts'
import { check } from '../checks/check.ts'
import { type ManagementSite, managementSite, readSnapshot, type Snapshot } from '../management/snapshot.ts'
import { applyWanted, type Desired, ownObject, wantedObject } from '../management/wanted.ts'
import { isClusterDone, isGroupDone, isGroupGone } from '../status/done.ts'
import { groupResult, replicasOf } from '../status/groups.ts'
import { observeSnapshot } from '../status/observe.ts'
import { clusterProgress, groupDeletionProgress, groupProgress } from '../status/progress.ts'
import {
  faultState,
  managementPhase,
  removeMachinesWithoutNode,
  requireTopology,
  scaleInto,
  scaleTo,
  scaleUp,
} from './phase.ts'
import { isNoOp, isRemovalDone, markRemoval, type Resize, removalOf, replaceRemaining } from './removal.ts'

/** Seconds for machines to come or go: with the undo it stays within the hour that a change may take. */
const MACHINES_SECONDS = 2400

/** What to say of a cluster that somebody took away. */
export const goneWords = ({ cluster }: ClusterContext, { where }: ManagementSite): string =>
  `Cluster ${cluster.name} is not in its management cluster ${where} any more, so it can't be changed; delete it.`

const goneFrom = (context: ClusterContext, site: ManagementSite): ChangeImpossible =>
  new ChangeImpossible(goneWords(context, site))

const refusedBy =
  ({ where }: ManagementSite) =>
  (words: string, cause: AppError): ChangeImpossible =>
    new ChangeImpossible(`The management cluster ${where} refuses the change. ${words}`, { cause })

/** The group that a task is about; undefined for one of the whole cluster. @throws ChangeImpossible when it is gone */
export const groupOf = ({ cluster, task, nodeGroups }: ClusterContext): NodeGroup | undefined => {
  const id = task && nodeGroupOf(task)
  if (id === null) return undefined
  const group = nodeGroups.find((candidate) => candidate.id === id)
  if (group !== undefined) return group
  throw new ChangeImpossible(`The node group that cluster ${cluster.name} was to change is no longer there.`)
}

/** With the count that was decided for the group of a resize. */
export const desiredOf = (context: ClusterContext): Desired => {
  const removal = removalOf(context)
  const own = groupOf(context)
  const nodeGroups = context.nodeGroups.map((group) =>
    removal !== undefined && group.id === own?.id ? { ...group, nodeCount: removal.count } : group,
  )
  return { nodeGroups, task: context.task }
}

/** What takes a task back: what was made goes, and the other way round. */
const opposite = (task: ClusterTask | null): ClusterTask | null => {
  switch (task?.kind) {
    case 'node-group-create':
      return { kind: 'node-group-delete', nodeGroupId: task.nodeGroupId }
    case 'node-group-delete':
      return { kind: 'node-group-create', nodeGroupId: task.nodeGroupId }
    default:
      return task
  }
}

/** True when what the task is about is as it shall be. */
const isDone = (context: ClusterContext, snapshot: Snapshot, task: ClusterTask | null): boolean => {
  const group = groupOf(context)
  if (group === undefined) return isClusterDone(snapshot)
  return task?.kind === 'node-group-delete' ? isGroupGone(snapshot, group) : isGroupDone(snapshot, group)
}

/** Why it is not done, with numbers first. */
const whyNot = (context: ClusterContext, snapshot: Snapshot, task: ClusterTask | null): string => {
  const group = groupOf(context)
  if (group === undefined) return clusterProgress(snapshot, context.nodeGroups) ?? 'the nodes to be as they shall be'
  return task?.kind === 'node-group-delete' ? groupDeletionProgress(snapshot, group) : groupProgress(snapshot, group)
}

/** What became of a group. Its count is reported when it is another than was asked for, by whoever asked. */
const reportOf = (snapshot: Snapshot, group: NodeGroup, task: ClusterTask | null): NodeGroupResult => {
  if (task?.kind === 'node-group-delete') return { id: group.id, nodeAddresses: [] }
  const replicas = replicasOf(snapshot, group)
  return {
    ...groupResult(snapshot, group),
    ...(replicas === undefined || replicas === group.nodeCount ? {} : { nodeCount: replicas }),
  }
}

const resultsOf = (context: ClusterContext, snapshot: Snapshot, task: ClusterTask | null): NodeGroupResult[] => {
  const group = groupOf(context)
  return (group === undefined ? context.nodeGroups : [group]).map((own) => reportOf(snapshot, own, task))
}

/** Groups whose number of nodes the topology does not say: as the task names it, or within limits that it has changed. */
const rescale = async (context: ClusterContext, site: ManagementSite, groups: readonly NodeGroup[]): Promise<void> => {
  const { task } = context
  if (task?.kind !== 'resize' && task?.kind !== 'node-group-update') return
  const own = groups.filter(({ id }) => id === nodeGroupOf(task))
  const act = task.nodeCount === null ? scaleInto : scaleTo
  await act(site, await readSnapshot(site), own)
}

/** Of a task that chose machines; undefined for others. */
const resizeOf = (context: ClusterContext): Resize | undefined => {
  const [group, removal] = [groupOf(context), removalOf(context)]
  return group === undefined || removal === undefined ? undefined : { group, removal }
}

const mark = async (context: ClusterContext, site: ManagementSite, isMarked: boolean): Promise<void> => {
  const resize = resizeOf(context)
  if (resize !== undefined) await markRemoval(site, await readSnapshot(site), resize, isMarked)
}

/** Says how the change is to be taken back, and waits until it is. */
const takeBack = (context: ClusterContext): Promise<ClusterStepResult> =>
  step(async () => {
    const site = await managementSite(context)
    const previous = await ownObject(context, site)
    if (previous === undefined) return {}
    const task = opposite(context.task)
    await mark(context, site, false)
    const wanted = await wantedObject(context, site, { nodeGroups: context.nodeGroups, task }, previous)
    await applyWanted(site, wanted, previous, refusedBy(site))
    await rescale(context, site, context.nodeGroups)
    const snapshot = await readSnapshot(site)
    if (!isDone(context, snapshot, task)) throw new Pending(whyNot(context, snapshot, task))
    return { nodeGroups: resultsOf(context, snapshot, task) }
  })

/** What was checked when it was asked for may have changed while the task waited (rule C14). @throws ChangeImpossible */
const requireNoFault = async (context: ClusterContext): Promise<void> => {
  const { cluster, nodeGroups, task } = context
  const { cluster: management, options } = await context.management()
  const planned = { id: management.id, name: management.name, options }
  const [fault] = check({ cluster, template: await context.template(), nodeGroups, task, management: planned })
  if (fault !== undefined) throw new ChangeImpossible(fault)
}

const apply = managementPhase({ id: 'apply', title: 'tell Cluster API' }, async (context, site) => {
  const previous = await ownObject(context, site)
  if (previous === undefined) throw goneFrom(context, site)
  await requireNoFault(context)
  await mark(context, site, true)
  const desired = desiredOf(context)
  const wanted = await wantedObject(context, site, desired, previous)
  await applyWanted(site, wanted, previous, refusedBy(site))
  await rescale(context, site, desired.nodeGroups)
  return {}
})

/** @throws ClusterNotReady when Cluster API has failed for too long; ChangeImpossible when the cluster is gone */
const requireRecoverable = (context: ClusterContext, site: ManagementSite, snapshot: Snapshot): void => {
  if (snapshot.cluster === undefined) throw goneFrom(context, site)
  requireTopology(context, snapshot)
}

/** The machines that a resize names are gone, or on their way. */
const removeChosen = async (context: ClusterContext, site: ManagementSite, snapshot: Snapshot): Promise<boolean> => {
  const resize = resizeOf(context)
  if (resize === undefined || isRemovalDone(snapshot, resize)) return true
  await replaceRemaining(site, snapshot, resize)
  return false
}

const endOf = async (context: ClusterContext, site: ManagementSite, snapshot: Snapshot) => ({
  nodeGroups: resultsOf(context, snapshot, context.task),
  observation: await observeSnapshot(context, site, snapshot),
})

/** @throws Pending while nodes are not as they shall be */
const settled = async (context: ClusterContext, site: ManagementSite, snapshot: Snapshot) => {
  if (isNoOp(context)) return endOf(context, site, snapshot)
  requireRecoverable(context, site, snapshot)
  if (context.task?.kind === 'upgrade') await removeMachinesWithoutNode(site, snapshot, context.now())
  const isRemoved = await removeChosen(context, site, snapshot)
  const added = context.task?.kind === 'node-group-create' ? groupOf(context) : undefined
  const isScaled = added !== undefined && (await scaleUp(site, snapshot, [added]))
  if (isScaled || !isRemoved || !isDone(context, snapshot, context.task)) {
    throw new Pending(whyNot(context, snapshot, context.task))
  }
  return endOf(context, site, snapshot)
}

const settle: ClusterPhase = {
  id: 'settle',
  title: 'wait for the nodes',
  deadlineSeconds: MACHINES_SECONDS,
  ensure: async (context) => {
    const site = await managementSite(context)
    const snapshot = await readSnapshot(site)
    const result = await step(() => settled(context, site, snapshot))
    return { ...result, state: faultState(context, snapshot) }
  },
}

/** A change of node groups: taken back when it fails (rule C20). */
export const groupPhases: readonly ClusterPhase[] = [{ ...apply, undo: takeBack }, settle]

/** A change of the whole cluster. Cluster API goes back to no version, so nothing can be taken back. */
export const wholePhases: readonly ClusterPhase[] = [apply, settle]
