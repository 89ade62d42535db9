import type { ClusterObservation } from '../../../../domain/cluster.ts'
import type { ClusterContext } from '../../../contract/cluster-driver.ts'
import { MemoryLabelsSchema } from './schema.ts'
import type { MemoryClusters } from './world.ts'

/** What is seen of a played cluster: as its label `memory-health` says. */
export const seen = (context: ClusterContext): ClusterObservation => {
  const health = MemoryLabelsSchema.parse(context.cluster.magnum.labels)['memory-health']
  return {
    observedAt: context.now(),
    healthStatus: health,
    healthReason: { api: health === 'HEALTHY' ? 'ok' : 'told to be unhealthy' },
    version: 'v1.36.0',
    nodeCount: 1,
    masterCount: 1,
  }
}

/** One look. A hook that throws plays a cluster that does not answer. */
export const observe = async (world: MemoryClusters, context: ClusterContext): Promise<ClusterObservation> => {
  const call = { name: 'observe', clusterId: context.cluster.id }
  world.note(call)
  try {
    await world.before?.(call, context)
    return seen(context)
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    return { ...seen(context), healthStatus: 'UNHEALTHY', healthReason: { api: fault } }
  }
}
