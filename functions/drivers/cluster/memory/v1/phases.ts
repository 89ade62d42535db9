import { type ClusterTask, type ClusterTaskKind, nodeGroupOf } from '../../../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../core/cluster/node-group.ts'
import type { JsonObject } from '../../../../core/values/json.ts'
import type {
  ClusterContext,
  ClusterPhase,
  ClusterStepResult,
  NodeGroupResult,
} from '../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../contract/errors.ts'
import { changedNodes, isNodesKey, nodesKey, simulatedNodes, type WantedNodes } from './nodes.ts'
import { type MemoryClusters, seen } from './observe.ts'
import { CLUSTER_LABELS, type PhaseId, readLabels } from './schema.ts'
import { type Act, endpointOf, simulate, simulateUndo } from './simulate.ts'
import {
  firstVersion,
  groupsOfUpgrade,
  targetVersion,
  upgradeFaults,
  upgradesMasters,
  VERSION,
  versionOf,
  versionOfGroup,
} from './versions.ts'

/** Kinds of tasks that memory@1 simulates: all but a new kubeconfig, since it takes none. */
type SimulatedTaskKind = Exclude<ClusterTaskKind, 'credential'>

/** Nodes of a group as they come to be: what is reported of it, and what is kept. */
type Made = { result: NodeGroupResult; state: JsonObject }

/** Gives a group the nodes that are wanted. */
const makeNodes = ({ cluster }: ClusterContext, group: NodeGroup, wanted: WantedNodes): Made => {
  const nodes = changedNodes(cluster, group, wanted)
  const nodeAddresses = simulatedNodes(cluster, group, nodes).map(({ address }) => address)
  const { length } = nodeAddresses
  const version = versionOfGroup(cluster, group)
  return {
    result: { id: group.id, nodeAddresses, version, ...(length === wanted.count ? {} : { nodeCount: length }) },
    state: { [nodesKey(group)]: nodes },
  }
}

/** Ends an act, with an observation of what has become of the cluster. */
const finished = (
  context: ClusterContext,
  { state = {}, ...result }: Omit<ClusterStepResult, 'done' | 'observation'>,
): ClusterStepResult => {
  const cluster = { ...context.cluster, driverState: { ...context.cluster.driverState, ...state } }
  return { done: true, ...result, state, observation: seen({ ...context, cluster }) }
}

const groupOf = ({ cluster, task, nodeGroups }: ClusterContext): NodeGroup => {
  const group = nodeGroups.find(({ id }) => task !== null && id === nodeGroupOf(task))
  if (group !== undefined) return group
  throw new ChangeImpossible(`The node group that cluster ${cluster.name} was to change is no longer there.`)
}

/** What the group has, not what it is to have: a resize that waits shows in its `nodeCount` already. */
const countNow = ({ cluster }: ClusterContext, group: NodeGroup): number => simulatedNodes(cluster, group).length

const withNodes = (context: ClusterContext, wanted: (group: NodeGroup) => WantedNodes): ClusterStepResult => {
  const { result, state } = makeNodes(context, groupOf(context), wanted(groupOf(context)))
  return finished(context, { nodeGroups: [result], state })
}

const removeGroup: Act = (context) => {
  const id = context.task && nodeGroupOf(context.task)
  const gone = context.nodeGroups.filter((group) => group.id === id)
  const remaining = context.nodeGroups.filter((group) => group.id !== id)
  return finished(
    { ...context, nodeGroups: remaining },
    {
      nodeGroups: gone.map((group) => ({ id: group.id, nodeAddresses: [] })),
      state: Object.fromEntries(gone.map((group) => [nodesKey(group), null])),
    },
  )
}

/** Looks again at what was checked when it was asked for: a task that waited may meet another version than was expected. */
const upgrade = async (
  context: ClusterContext,
  task: Extract<ClusterTask, { kind: 'upgrade' }>,
): Promise<ClusterStepResult> => {
  const { cluster, nodeGroups } = context
  const planned = { cluster, template: await context.template(), nodeGroups, task }
  const [fault] = upgradeFaults(planned)
  if (fault !== undefined) throw new ChangeImpossible(fault)
  const version = targetVersion(planned)
  return finished(context, {
    nodeGroups: groupsOfUpgrade(planned).map(({ id }) => ({ id, version })),
    state: { [VERSION]: upgradesMasters(planned) ? version : versionOf(cluster) },
  })
}

const rotateAuthority: Act = async (context) => {
  const authority = await context.authority('kubernetes')
  if (authority === undefined) {
    throw new ChangeImpossible(
      `Cluster ${context.cluster.name} has no certificate authority that could be rotated: its certificates are not fedplane's.`,
    )
  }
  return finished(context, { endpoint: endpointOf(context.cluster, authority.certificatePem) })
}

/** Does what the task says. */
const simulateTask: Act = (context) => {
  const { task } = context
  switch (task?.kind) {
    case 'resize':
      return withNodes(context, () => ({ count: task.nodeCount, toRemove: task.nodesToRemove }))
    case 'node-group-create':
      return withNodes(context, (group) => ({ count: group.nodeCount, toRemove: [] }))
    case 'node-group-update':
      return withNodes(context, (group) => ({ count: task.nodeCount ?? countNow(context, group), toRemove: [] }))
    case 'node-group-delete':
      return removeGroup(context)
    case 'upgrade':
      return upgrade(context, task)
    case 'rotate-authority':
      return rotateAuthority(context)
    default:
      // rotate-credential: a simulated cluster has none, so there is nothing to change.
      return finished(context, {})
  }
}

/** Brings a group back to the nodes that it had: its count is that of before, since the change is taken back. */
const undoTask: Act = (context) => {
  const group = context.nodeGroups.find(({ id }) => context.task !== null && id === nodeGroupOf(context.task))
  return group === undefined ? { done: true } : withNodes(context, () => ({ count: group.nodeCount, toRemove: [] }))
}

const PHASE_SECONDS = 600

const provision =
  (world: MemoryClusters): Act =>
  async (context) => {
    const { cluster, nodeGroups } = context
    const version = firstVersion(cluster, await context.template())
    const made = nodeGroups.map((group) => makeNodes(context, group, { count: group.nodeCount, toRemove: [] }))
    const authority = await context.authority('kubernetes')
    world.up.add(cluster.id)
    return {
      done: true,
      endpoint: endpointOf(cluster, authority?.certificatePem ?? null),
      nodeGroups: made.map(({ result }) => ({ ...result, version })),
      state: Object.assign({ [VERSION]: version }, ...made.map(({ state }) => state)),
    }
  }

const identify: Act = async (context) => {
  const { cluster } = context
  const uid = readLabels(CLUSTER_LABELS, cluster.magnum.labels)['memory-uid'] ?? `memory-${cluster.id}`
  await context.claimIdentity(uid)
  return { done: true, identity: { uid, user: 'memory' }, observation: seen(context) }
}

const remove =
  (world: MemoryClusters): Act =>
  ({ cluster, nodeGroups }) => {
    world.up.delete(cluster.id)
    const kept = Object.keys(cluster.driverState).filter((key) => key === VERSION || isNodesKey(key))
    return {
      done: true,
      nodeGroups: nodeGroups.map(({ id }) => ({ id, nodeAddresses: [] })),
      state: Object.fromEntries(kept.map((key) => [key, null])),
    }
  }

/** The plans of memory@1 over a world of clusters. */
export const memoryPhases = (world: MemoryClusters) => {
  const phase = (id: PhaseId, act: Act, undo?: Act): ClusterPhase => ({
    id,
    title: id,
    deadlineSeconds: PHASE_SECONDS,
    ensure: (context) => simulate(world, context, id, act),
    ...(undo && { undo: (context: ClusterContext) => simulateUndo(world, context, id, undo) }),
  })
  const plan = (kind: SimulatedTaskKind, undo?: Act): readonly ClusterPhase[] => [phase(kind, simulateTask, undo)]
  return {
    create: [phase('provision', provision(world), remove(world)), phase('identify', identify)],
    update: {
      resize: plan('resize', undoTask),
      'node-group-create': plan('node-group-create', undoTask),
      'node-group-update': plan('node-group-update', undoTask),
      'node-group-delete': plan('node-group-delete', undoTask),
      upgrade: plan('upgrade'),
      'rotate-authority': plan('rotate-authority'),
      'rotate-credential': plan('rotate-credential'),
    },
    delete: [phase('remove', remove(world))],
  }
}
