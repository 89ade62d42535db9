import type { ClusterContext, ClusterPhase, ClusterStepResult } from '../../../contract/cluster-driver.ts'
import { PlannedFailure } from '../../../contract/errors.ts'
import { seen } from './observe.ts'
import { type MemoryLabels, MemoryLabelsSchema } from './schema.ts'
import type { MemoryClusters } from './world.ts'

type Act = (context: ClusterContext, labels: MemoryLabels) => ClusterStepResult | Promise<ClusterStepResult>

const SINCE = 'memory-since'

const play = async (
  world: MemoryClusters,
  name: string,
  context: ClusterContext,
  act: Act,
): Promise<ClusterStepResult> => {
  const labels = MemoryLabelsSchema.parse(context.cluster.magnum.labels)
  const call = { name, clusterId: context.cluster.id }
  world.note(call)
  await world.before?.(call, context)
  if (name === `ensure:${labels['memory-fail-phase']}`) {
    throw new PlannedFailure(
      `memory@1 was told to fail at ${labels['memory-fail-phase']}; change the label and try again.`,
    )
  }
  const result = await act(context, labels)
  await world.after?.(call, context)
  return result
}

const provision =
  (world: MemoryClusters): Act =>
  ({ cluster, now }, labels) => {
    const since = cluster.driverState[SINCE]
    const passed = typeof since === 'string' ? (Date.parse(now()) - Date.parse(since)) / 1000 : 0
    const delay = labels['memory-delay-seconds']
    if (passed < delay) {
      const state = typeof since === 'string' ? {} : { state: { [SINCE]: now() } }
      return { done: false, waitingFor: `the cluster to come up (${delay} s)`, ...state }
    }
    world.up.add(cluster.id)
    return { done: true, endpoint: endpointOf(cluster.id) }
  }

const endpointOf = (clusterId: string) => ({
  server: `https://${clusterId}.memory.invalid:6443`,
  serverForPeers: null,
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
})

const identify: Act = async (context, labels) => {
  const uid = labels['memory-uid'] ?? `memory-${context.cluster.id}`
  await context.claimIdentity(uid)
  return { done: true, identity: { uid, user: 'memory' }, observation: seen(context) }
}

const remove =
  (world: MemoryClusters): Act =>
  ({ cluster }) => {
    world.up.delete(cluster.id)
    return { done: true }
  }

/** The plans of memory@1 over a world of clusters. */
export const memoryPhases = (world: MemoryClusters) => {
  const phase = (id: string, act: Act, undo?: Act): ClusterPhase => ({
    id,
    title: id,
    deadlineSeconds: 600,
    ensure: (context) => play(world, `ensure:${id}`, context, act),
    ...(undo && { undo: (context: ClusterContext) => play(world, `undo:${id}`, context, undo) }),
  })
  return {
    create: [phase('provision', provision(world), remove(world)), phase('identify', identify)],
    update: { credential: [phase('update', identify)] },
    delete: [phase('remove', remove(world))],
  }
}
