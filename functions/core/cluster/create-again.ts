import type { Write } from '../../store/write.ts'
import { createDeadlineSeconds } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { Ports } from '../ports.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import { markedGroups } from './node-group-writes.ts'

type CreatePorts = Pick<Ports, 'stores' | 'clock' | 'newId' | 'executions' | 'log'>

/** Why a create that failed begins again. */
export type Renewal = {
  /** Fields of the cluster that change with it. */
  change?: ClusterChange
  /** Go into the same commit, on other items than the cluster and its node groups. */
  writes?: readonly Write[]
  /** For the event. */
  said: { reason: string; message: string }
}

/**
 * Begins the create of a cluster again, which is CREATE_FAILED: its phases find what is there.
 *
 * @throws RevisionConflict when it is something else by now
 */
export const createAgain = async (
  ports: CreatePorts,
  cluster: Cluster,
  { change, writes = [], said }: Renewal,
): Promise<void> => {
  const { clusters, nodeGroups, commit } = ports.stores
  const deadlineSeconds = createDeadlineSeconds(cluster.magnum.createTimeout)
  const operation = newOperation(ports, 'create', { deadlineSeconds })
  await commit([
    clusters.change(cluster, {
      status: 'CREATE_IN_PROGRESS',
      statusReason: null,
      operation,
      updatedAt: operation.startedAt,
      ...change,
    }),
    ...markedGroups(ports, await nodeGroups.listOf(cluster), 'CREATE_IN_PROGRESS'),
    ...writes,
    ownerEvent(ports, 'cluster', cluster, { action: 'create', outcome: 'pending', ...said }),
  ])
  await launch(ports, { flow: 'cluster-create', projectId: cluster.projectId, entityId: cluster.id, operation })
}
