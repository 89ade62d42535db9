import type { ClusterContext, ClusterPhase } from '../../../contract/cluster-driver.ts'
import { endpointOf } from './endpoint.ts'
import { isNodesKey } from './nodes.ts'
import { seen } from './observe.ts'
import { type Act, play, playUndo } from './play.ts'
import { CLUSTER_LABELS, type PhaseId, readLabels } from './schema.ts'
import { makeNodes, type PlayedTaskKind, playTask, undoTask } from './tasks.ts'
import { firstVersion, VERSION } from './versions.ts'
import type { MemoryClusters } from './world.ts'

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
    ensure: (context) => play(world, context, id, act),
    ...(undo && { undo: (context: ClusterContext) => playUndo(world, context, id, undo) }),
  })
  const plan = (kind: PlayedTaskKind, undo?: Act): readonly ClusterPhase[] => [phase(kind, playTask, undo)]
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
