import type { Write } from '../../store/write.ts'
import { QueueFull } from '../errors.ts'
import { TASK_DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation, REPLACED_MAX, replacedBy } from '../operation/launch.ts'
import type { Ports } from '../ports.ts'
import { jsonBytes } from '../values/attribute-sizes.ts'
import { counted } from '../values/wording.ts'
import type { Cluster, ClusterChange, ClusterOperation } from './cluster.ts'
import { type ClusterTask, nodeGroupOf, QUEUE_MAX, type QueuedTask, replaces } from './cluster-task.ts'
import { movedTemplateUses } from './cluster-uses.ts'

type TaskPorts = Pick<Ports, 'stores' | 'clock' | 'newId' | 'executions' | 'log'>

/** A change of a cluster that was asked for and may be carried out. */
export type TaskRequest = {
  task: ClusterTask
  /** A task that has to be done before it. */
  first?: ClusterTask
  /** True: it takes the place of earlier changes, running and waiting, for which nothing is left to do then (`replaces`). */
  takesPlace?: boolean
  /** Go into the same commit: the node group as it shall be, with its `*_IN_PROGRESS`; candidates. */
  writes?: readonly Write[]
  /** Fields of the cluster that change with it, such as `nodes`. */
  change?: ClusterChange
  /** For the event. */
  said: { reason: string; message: string }
}

/** How a change is asked for: `requestTask`, with what its caller lends. */
export type RequestChange = (cluster: Cluster, change: TaskRequest) => Promise<void>

/** What a command that changes a cluster asks of the edge. */
export type ChangeRules = {
  /** Finds the cluster, and asks whether the caller may change it so. Asked anew when it changed meanwhile. @throws ObjectNotVisible, PolicyForbids */
  findCluster(): Promise<Cluster>
  request: RequestChange
}

type Beginning = Pick<QueuedTask, 'task'> & Partial<Pick<QueuedTask, 'id'>>

const beginning = (
  ports: TaskPorts,
  { task, id }: Beginning,
  replaced: ClusterOperation | null,
): { operation: ClusterOperation; change: ClusterChange } => {
  const operation = newOperation(ports, 'update', {
    ...(id === undefined ? {} : { id }),
    deadlineSeconds: TASK_DEADLINE_SECONDS[task.kind],
    supersedes: replaced === null ? [] : replacedBy('cluster-update', replaced),
  })
  const change = { status: 'UPDATE_IN_PROGRESS', statusReason: null, operation, task } as const
  return { operation, change }
}

type Queue = readonly QueuedTask[]

/** Bytes of the tasks that run and wait, which name nodes: they are part of the cluster's item, of which DynamoDB takes 400 KB. */
const TASKS_BYTES_MAX = 200_000

/** The tasks have room in the cluster. `change`: of the cluster, with `task` and `queue` where these change. @throws QueueFull */
const requireRoom = (cluster: Cluster, { task = cluster.task, queue = cluster.queue }: ClusterChange): void => {
  if (queue.length <= QUEUE_MAX && jsonBytes([task, queue]) <= TASKS_BYTES_MAX) return
  const waiting = cluster.queue.length
  throw new QueueFull(
    `A change of cluster ${cluster.name} runs and ${counted(waiting, 'change')} wait already, each with the nodes that it names; ask again when some of them are done.`,
  )
}

/** What the cluster's queue becomes: `before` is what of it still waits, and the tasks come after that. */
const queued = (ports: TaskPorts, cluster: Cluster, before: Queue, tasks: readonly ClusterTask[]): ClusterChange => {
  if (tasks.length === 0) return before.length === cluster.queue.length ? {} : { queue: before }
  const requestedAt = ports.clock.now().toISOString()
  return { queue: [...before, ...tasks.map((task) => ({ id: ports.newId(), task, requestedAt }))] }
}

type Begun = { operation: ClusterOperation | null; change: ClusterChange }

/** True when nothing is left to do for what runs on the cluster once the task is asked for (decision 0024). */
export const replacesRunning = ({ operation, task: running }: Cluster, task: ClusterTask): boolean =>
  operation?.kind === 'update' &&
  operation.supersedes.length < REPLACED_MAX &&
  running !== null &&
  replaces(task, running)

/** What of a cluster's changes goes on beside a request. */
const stillWaiting = ({ queue }: Cluster, { task, takesPlace }: TaskRequest): Queue =>
  takesPlace ? queue.filter(({ task: earlier }) => !replaces(task, earlier)) : queue

/** Changes of one node group end in the order in which they were asked for: what still waits for it comes before a task that takes the place of what runs. */
const nextOf = (waiting: Queue, { task, first }: TaskRequest): Beginning => {
  const earlier = waiting.find(
    (queued) => nodeGroupOf(queued.task) !== null && nodeGroupOf(queued.task) === nodeGroupOf(task),
  )
  return first === undefined ? (earlier ?? { task }) : { task: first }
}

/** The first task begins where nothing runs, or in the place of what does; the others wait. */
const started = (ports: TaskPorts, cluster: Cluster, request: TaskRequest): Begun => {
  const { task, first, takesPlace } = request
  const waiting = stillWaiting(cluster, request)
  if (cluster.operation !== null && !(takesPlace && replacesRunning(cluster, task))) {
    return { operation: null, change: queued(ports, cluster, waiting, first === undefined ? [task] : [first, task]) }
  }
  const next = nextOf(waiting, request)
  const { operation, change } = beginning(ports, next, cluster.operation)
  const left = waiting.filter(({ id }) => id !== next.id)
  return { operation, change: { ...change, ...queued(ports, cluster, left, next.task === task ? [] : [task]) } }
}

/**
 * Stores a task on the cluster as it was read: it begins at once, or waits while an operation runs (design section 3), or takes the place of
 * changes that it makes needless (decision 0024). The caller has decided that the cluster's status allows it, and runs this in `retryOnConflict`.
 *
 * @throws QueueFull, TemplateGone
 * @throws RevisionConflict when cluster or node group changed meanwhile
 */
export const requestTask = async (ports: TaskPorts, cluster: Cluster, request: TaskRequest): Promise<void> => {
  const begun = started(ports, cluster, request)
  requireRoom(cluster, begun.change)
  const { clusters, commit } = ports.stores
  const updatedAt = ports.clock.now().toISOString()
  const change = { updatedAt, ...request.change, ...begun.change }
  await commit([
    clusters.change(cluster, change),
    ...movedTemplateUses(ports, cluster, change),
    ...(request.writes ?? []),
    ownerEvent(ports, 'cluster', cluster, { action: 'update', outcome: 'pending', ...request.said }),
  ])
  if (begun.operation === null) return
  await launch(ports, {
    flow: 'cluster-update',
    projectId: cluster.projectId,
    entityId: cluster.id,
    operation: begun.operation,
  })
}
