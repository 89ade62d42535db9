import { type ClusterTask, nodeGroupOf, type QueuedTask } from './cluster-task.ts'
import type { NodeGroup, NodeGroupChange } from './node-group.ts'

type Queue = readonly QueuedTask[]
type Group = Pick<NodeGroup, 'id' | 'isDefault'>

/** True when a task changes the group. An upgrade of the whole cluster is one of its default groups. */
export const isAbout = (task: ClusterTask, { id, isDefault }: Group): boolean =>
  task.kind === 'upgrade' && task.nodeGroupId === null ? isDefault : nodeGroupOf(task) === id

/** True when a change of the group waits: what the group shows is of that one, so that it reads in progress until then. */
export const isAwaited = (queue: Queue, group: Group): boolean => queue.some(({ task }) => isAbout(task, group))

/** What ended tasks make of a cluster's node groups. */
export type GroupOutcome = {
  changed: readonly { group: NodeGroup; change: NodeGroupChange }[]
  removed: readonly NodeGroup[]
}

/** The groups as an outcome leaves them. */
export const groupsAfter = (groups: readonly NodeGroup[], { changed, removed }: GroupOutcome): NodeGroup[] =>
  groups
    .filter(({ id }) => !removed.some((group) => group.id === id))
    .map((group) => ({ ...group, ...changed.find((it) => it.group.id === group.id)?.change }))

/**
 * The count that a task brings a group to while another change of it waits: `nodeCount` is of that one already. Of a new group, which has
 * reached nothing, the count of before is not known.
 */
const countBefore = (task: ClusterTask, group: NodeGroup): number => {
  const asked = 'nodeCount' in task ? task.nodeCount : null
  if (asked !== null) return asked
  return task.kind === 'node-group-create' && group.reachedCount === 0 ? group.nodeCount : group.reachedCount
}

const countBy = (task: ClusterTask, group: NodeGroup, queue: Queue): number =>
  isAwaited(queue, group) ? countBefore(task, group) : group.nodeCount

/** True for a group whose upgrade failed, which only another upgrade repairs (decision 0025). */
const isHalfUpgraded = ({ failedTask }: NodeGroup): boolean => failedTask === 'upgrade'

/** What a group keeps to say when a change of it is asked for: why its upgrade failed. Other failures are forgotten. */
export const reasonKept = (group: NodeGroup): string | null => (isHalfUpgraded(group) ? group.statusReason : null)

const NOT_MENDED = 'An upgrade failed, and only another one repairs it.'

const repaired = (task: ClusterTask, group: NodeGroup): NodeGroupChange => {
  if (isHalfUpgraded(group) && task.kind !== 'upgrade') {
    return { status: 'UPDATE_FAILED', statusReason: group.statusReason ?? NOT_MENDED }
  }
  const status = task.kind === 'node-group-create' ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE'
  return { status, statusReason: null, failedTask: null }
}

/** While the group's next change waits, its status and the count asked for stay as that one has set them. */
const reached = (task: ClusterTask, group: NodeGroup, queue: Queue): NodeGroupChange => {
  const reachedCount = countBy(task, group, queue)
  if (!isAwaited(queue, group)) return { ...repaired(task, group), reachedCount }
  return { reachedCount, ...(task.kind === 'upgrade' ? { statusReason: null, failedTask: null } : {}) }
}

/**
 * What a task that succeeded makes of its groups, its own first. `more`: fields that change with it. A failure of before is forgotten, but for that of an
 * upgrade.
 */
export const succeeded = (
  task: ClusterTask,
  groups: readonly NodeGroup[],
  queue: Queue,
  more: (group: NodeGroup) => NodeGroupChange = () => ({}),
): GroupOutcome => {
  const own = groups.filter((group) => isAbout(task, group))
  if (task.kind === 'node-group-delete') return { changed: [], removed: own }
  const others = groups.filter((group) => !own.includes(group)).map((group) => ({ group, change: more(group) }))
  return {
    changed: [
      ...own.map((group) => ({ group, change: { ...reached(task, group, queue), ...more(group) } })),
      ...others.filter(({ change }) => Object.keys(change).length > 0),
    ],
    removed: [],
  }
}

const failedStatus = (task: ClusterTask): NodeGroup['status'] => {
  if (task.kind === 'node-group-create') return 'CREATE_FAILED'
  return task.kind === 'node-group-delete' ? 'DELETE_FAILED' : 'UPDATE_FAILED'
}

/** A failed upgrade stays noted when a later change fails, which it may have been what kept from its end: only another upgrade repairs it (decision 0025). */
const failedTask = (task: ClusterTask, group: NodeGroup): ClusterTask['kind'] =>
  failedStatus(task) === 'UPDATE_FAILED' && isHalfUpgraded(group) ? 'upgrade' : task.kind

const failedGroup = (task: ClusterTask, group: NodeGroup, queue: Queue, statusReason: string): NodeGroupChange =>
  isAwaited(queue, group)
    ? { failedTask: task.kind, statusReason }
    : { status: failedStatus(task), statusReason, failedTask: failedTask(task, group), nodeCount: group.reachedCount }

/**
 * What a task that failed makes of its groups: the count goes back to what was reached, unless a later change of the group waits. On such a one no more than
 * an upgrade is noted, which that change does not repair.
 */
export const failed = (
  task: ClusterTask,
  groups: readonly NodeGroup[],
  queue: Queue,
  statusReason: string,
): GroupOutcome => ({
  removed: [],
  changed: groups
    .filter((group) => isAbout(task, group) && (task.kind === 'upgrade' || !isAwaited(queue, group)))
    .map((group) => ({ group, change: failedGroup(task, group, queue, statusReason) })),
})

/** What the end of a cluster's create makes of its groups. `statusReason` null: all is well. */
export const created = (groups: readonly NodeGroup[], queue: Queue, statusReason: string | null): GroupOutcome => ({
  removed: [],
  changed: groups
    .filter((group) => !isAwaited(queue, group))
    .map((group) => ({
      group,
      change:
        statusReason === null
          ? { status: 'CREATE_COMPLETE', statusReason, reachedCount: group.nodeCount }
          : { status: 'CREATE_FAILED', statusReason },
    })),
})

const isMadeLater = (queue: Queue, { id }: Group): boolean =>
  queue.some(({ task }) => task.kind === 'node-group-create' && task.nodeGroupId === id)

/** `before`: the task is being undone, so that its group goes back. */
const countDuring = (
  task: ClusterTask,
  group: NodeGroup,
  { queue, before }: { queue: Queue; before: boolean },
): number => {
  if (!isAbout(task, group)) return isAwaited(queue, group) ? group.reachedCount : group.nodeCount
  return before ? group.reachedCount : countBy(task, group, queue)
}

/**
 * The groups as they shall be when the task is done, whatever was asked for besides: counts that wait for their turn are not there yet,
 * nor are groups whose creation waits.
 */
export const groupsDuring = (
  task: ClusterTask | null,
  groups: readonly NodeGroup[],
  { queue, before }: { queue: Queue; before: boolean },
): NodeGroup[] =>
  task === null
    ? [...groups]
    : groups
        .filter((group) => !isMadeLater(queue, group))
        .map((group) => ({ ...group, nodeCount: countDuring(task, group, { queue, before }) }))
