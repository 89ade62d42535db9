import type { Write } from '../../store/write.ts'
import { OperationSuperseded } from '../errors.ts'
import { TASK_DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openCluster, type Target, type WithOperation } from '../operation/subjects.ts'
import type { Ports, TablePorts } from '../ports.ts'
import type { DomainEvent } from '../values/event.ts'
import { counted } from '../values/wording.ts'
import type { Cluster, ClusterChange, ClusterOperation } from './cluster.ts'
import { nodeGroupOf, type QueuedTask } from './cluster-task.ts'
import { movedTemplateUses } from './cluster-uses.ts'
import type { NodeGroup } from './node-group.ts'
import { outcomeWrites, sumsOf } from './node-group-writes.ts'
import { type GroupOutcome, groupsAfter } from './task-groups.ts'

type NextPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>
type LaunchPorts = Pick<Ports, 'stores' | 'executions' | 'log'>

/** How a cluster rests when nothing more waits. */
export type Rest = Required<Pick<ClusterChange, 'status' | 'statusReason'>>

type Turn = { next: QueuedTask | undefined; queue: readonly QueuedTask[]; dropped: readonly QueuedTask[] }

/** Takes the first waiting task that still has its node group. */
const takeTurn = (queue: readonly QueuedTask[], groups: readonly NodeGroup[]): Turn => {
  const isGone = ({ task }: QueuedTask): boolean => {
    const id = nodeGroupOf(task)
    return id !== null && !groups.some((group) => group.id === id)
  }
  const [next, ...rest] = queue.filter((queued) => !isGone(queued))
  return { next, queue: rest, dropped: queue.filter(isGone) }
}

const droppedEvent = (ports: NextPorts, cluster: Cluster, dropped: readonly QueuedTask[]): Write[] => {
  if (dropped.length === 0) return []
  const kinds = dropped.map(({ task }) => `${task.kind} of ${nodeGroupOf(task)}`).join(', ')
  return [
    ownerEvent(ports, 'cluster', cluster, {
      action: 'update',
      outcome: 'failure',
      notify: false,
      reason: 'NodeGroupGone',
      message: `${counted(dropped.length, 'waiting change')} dropped, since the node group is gone: ${kinds}.`,
    }),
  ]
}

/** What the commit that ends an operation says of the next one. */
type Continuation = { change: ClusterChange; events: Write[]; operation: ClusterOperation | null }

/**
 * Goes on after an operation: the first waiting task begins with the same commit, so that the cluster never rests between two; when none
 * waits, it rests as `rest` says. Tasks of node groups that are gone are dropped, which the cluster's history tells.
 *
 * @param groups as the commit leaves them
 */
const continueWith = (ports: NextPorts, cluster: Cluster, groups: readonly NodeGroup[], rest: Rest): Continuation => {
  const { next, queue, dropped } = takeTurn(cluster.queue, groups)
  const events = droppedEvent(ports, cluster, dropped)
  if (next === undefined) return { change: { ...rest, operation: null, task: null, queue }, events, operation: null }
  const deadlineSeconds = TASK_DEADLINE_SECONDS[next.task.kind]
  const operation = newOperation(ports, 'update', { id: next.id, deadlineSeconds })
  const change = { status: 'UPDATE_IN_PROGRESS', statusReason: null, operation, task: next.task, queue } as const
  return { change, events, operation }
}

/** Starts what runs on the cluster now, if it has no execution yet. */
const launchRunning = async (ports: LaunchPorts, { projectId, entityId }: Target): Promise<void> => {
  const cluster = await ports.stores.clusters.get({ projectId, id: entityId })
  const operation = cluster?.operation ?? null
  if (operation !== null) await launch(ports, { flow: `cluster-${operation.kind}`, projectId, entityId, operation })
}

/**
 * Runs the commit that ends an operation, and launches what follows it; also when the end is already written, for a step that is run
 * again after a crash between the two. A start that is lost all the same is made good by the reconciler.
 *
 * @throws OperationSuperseded all the same
 */
const thenLaunch = async (
  ports: LaunchPorts,
  target: Target,
  end: () => Promise<ClusterOperation | null>,
): Promise<void> => {
  try {
    const operation = await end()
    if (operation === null) return
    const { projectId, entityId } = target
    await launch(ports, { flow: 'cluster-update', projectId, entityId, operation })
  } catch (error) {
    if (error instanceof OperationSuperseded) await launchRunning(ports, target)
    throw error
  }
}

/** What the ends of a cluster's operations need. */
export type EndPorts = Pick<TablePorts, 'stores' | 'executions' | 'drivers' | 'clock' | 'newId' | 'log'>

/** For the cluster's history. */
type EventFields = Pick<DomainEvent, 'action' | 'outcome' | 'reason' | 'message'>

/** What an operation comes to. */
type End = {
  groups: GroupOutcome
  change?: ClusterChange
  /** Go into the same commit, on other items than the cluster and its node groups. */
  writes?: Write[]
  /** True: what waits is not carried out. */
  abandonsQueue?: boolean
  /** How the cluster rests with its groups as they are then, if nothing waits. */
  rest(groups: readonly NodeGroup[]): Rest
  said: EventFields
}

/** The cluster under its operation, with its groups as they are stored. */
type OpenEnd = { cluster: WithOperation<Cluster>; nodeGroups: readonly NodeGroup[] }

const commitEnd = async (
  ports: EndPorts,
  { cluster, nodeGroups }: OpenEnd,
  end: End,
): Promise<ClusterOperation | null> => {
  const after = groupsAfter(nodeGroups, end.groups)
  const queue = end.abandonsQueue ? [] : cluster.queue
  const next = continueWith(ports, { ...cluster, queue }, after, end.rest(after))
  const updatedAt = ports.clock.now().toISOString()
  const change = { updatedAt, ...sumsOf(cluster, after), ...end.change, ...next.change }
  await ports.stores.commit([
    ports.stores.clusters.change(cluster, change),
    ...movedTemplateUses(ports, cluster, change),
    ...outcomeWrites(ports, end.groups),
    ...(end.writes ?? []),
    ownerEvent(ports, 'cluster', cluster, end.said),
    ...next.events,
  ])
  return next.operation
}

/**
 * Ends the operation of a cluster in one commit: cluster, node groups, secrets, history, and the beginning of the next waiting task.
 *
 * @throws OperationSuperseded when another end was first
 */
export const endAndGoOn = (
  ports: EndPorts,
  target: Target,
  decide: (open: OpenEnd) => End | Promise<End>,
): Promise<void> =>
  thenLaunch(ports, target, () =>
    retryOnConflict(async () => {
      const cluster = await openCluster(ports, target)
      const open = { cluster, nodeGroups: await ports.stores.nodeGroups.listOf(cluster) }
      return commitEnd(ports, open, await decide(open))
    }),
  )
