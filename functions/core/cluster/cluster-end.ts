import type { Write } from '../../store/write.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openCluster, type Target, type WithOperation } from '../operation/subjects.ts'
import type { TablePorts } from '../ports.ts'
import type { DomainEvent } from '../values/event.ts'
import type { Cluster, ClusterChange, ClusterOperation } from './cluster.ts'
import { continueWith, type Rest, thenLaunch } from './next-task.ts'
import type { NodeGroup } from './node-group.ts'
import { outcomeWrites, sumsOf } from './node-group-writes.ts'
import { type GroupOutcome, groupsAfter } from './task-groups.ts'
import { movedTemplateUses } from './template-uses.ts'

/** What the ends of a cluster's operations need. */
export type EndPorts = Pick<TablePorts, 'stores' | 'executions' | 'drivers' | 'clock' | 'newId' | 'log'>

/** For the cluster's history. */
export type EventFields = Pick<DomainEvent, 'action' | 'outcome' | 'reason' | 'message'>

/** What an operation comes to. */
export type End = {
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
export type OpenEnd = { cluster: WithOperation<Cluster>; nodeGroups: readonly NodeGroup[] }

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
