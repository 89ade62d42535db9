import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import type { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ClusterContext, ClusterDriver, ClusterPhase } from '../../../functions/drivers/contract/cluster-driver.ts'
import { PlannedFailure } from '../../../functions/drivers/contract/errors.ts'

/** `memory-uid`, and `memory-fail-phase` = `update`, are read as memory@1 reads them. */
const proveCredential = async (context: ClusterContext) => {
  const { cluster } = context
  const { labels } = cluster.magnum
  if (labels['memory-fail-phase'] === 'update') throw new PlannedFailure('told to fail at update')
  const uid = labels['memory-uid'] ?? `memory-${cluster.id}`
  await context.claimIdentity(uid)
  return { done: true, identity: { uid, user: 'memory' } }
}

/** memory@1 with a plan for a new kubeconfig, which it has none of itself, and without one for `rotate-credential`. */
export const labClusterDriver = (world: MemoryClusters): ClusterDriver => {
  const driver = memoryClusterDriver({ world })
  const update: ClusterPhase = {
    id: 'update',
    title: 'update',
    deadlineSeconds: 600,
    ensure: async (context) => {
      const call = { name: 'ensure:update', clusterId: context.cluster.id }
      world.note(call)
      await world.before?.(call, context)
      const result = await proveCredential(context)
      await world.after?.(call, context)
      return result
    },
  }
  const { 'rotate-credential': _, ...plans } = driver.phases.update
  return {
    ...driver,
    updates: [...driver.updates.filter((kind) => kind !== 'rotate-credential'), 'credential'],
    phases: { ...driver.phases, update: { ...plans, credential: [update] } },
  }
}
