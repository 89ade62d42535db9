import type { Write } from '../../store/write.ts'
import { droppedCredential, droppedFacts, releasedClaims } from '../access/cluster-identity.ts'
import { kubeconfigKey } from '../access/credentials.ts'
import { removeGrantsOf } from '../grant/forget-grants.ts'
import { forgetLeftIn } from '../membership/leftovers.ts'
import { ownerEvent } from '../operation/events.ts'
import { describeFailure, type Failure } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../operation/subjects.ts'
import type { TablePorts } from '../ports.ts'
import { removedAuthorities } from './authorities.ts'
import { forgottenGrants } from './cloud-ownership.ts'
import type { Cluster } from './cluster.ts'
import { movedTemplateUses } from './cluster-uses.ts'
import type { NodeGroup } from './node-group.ts'
import { groupsInCommit, outcomeWrites, truncatedGroup } from './node-group-writes.ts'
import { forgetObserving } from './observe-commands.ts'

type DeletePorts = Pick<TablePorts, 'stores' | 'clock' | 'newId' | 'drivers'>

/**
 * Commits `last` for the cluster and those node groups that are still to be written, with as many groups as fit; before that the others
 * in commits of their own, each under the cluster's operation.
 */
const inBatches = (
  ports: DeletePorts,
  target: Target,
  steps: {
    isLeft(group: NodeGroup): boolean
    write(group: NodeGroup): Write[]
    last(cluster: Cluster): Write[]
  },
): Promise<void> =>
  retryOnConflict(async () => {
    for (;;) {
      const cluster = await openCluster(ports, target)
      const left = (await ports.stores.nodeGroups.listOf(cluster)).filter(steps.isLeft)
      const some = groupsInCommit(left)
      const writes = some.flatMap(steps.write)
      if (some.length === left.length) {
        await ports.stores.commit([...steps.last(cluster), ...writes])
        return
      }
      // Adds 1 to the cluster's revision: proof that the operation still runs.
      await ports.stores.commit([ports.stores.clusters.change(cluster, {}), ...writes])
    }
  })

/** Whoever is not an administrator can ask one: what is left costs somebody money. */
const WAY_OUT =
  'Mend that and delete again; an administrator can delete it with ?force=true, which leaves what can’t be taken down and says what that is.'

/** Something of it could not be removed: it stays, with its node groups, to be deleted again. @throws OperationSuperseded */
export const endClusterDeleteFailed = (ports: DeletePorts, target: Target, failure: Failure): Promise<void> => {
  const status = 'DELETE_FAILED'
  const statusReason = describeFailure(failure)
  const updatedAt = ports.clock.now().toISOString()
  return inBatches(ports, target, {
    isLeft: (group) => group.status !== status || group.statusReason !== statusReason,
    write: (group) => {
      const change = { status, statusReason, ...truncatedGroup(group) } as const
      return outcomeWrites(ports, { changed: [{ group, change }], removed: [] })
    },
    last: (cluster) => [
      ports.stores.clusters.change(cluster, {
        operation: null,
        status,
        statusReason: cluster.operation?.force ? statusReason : `${statusReason} ${WAY_OUT}`,
        updatedAt,
      }),
      ownerEvent(ports, 'cluster', cluster, { action: 'delete', outcome: 'failure', ...failure }),
    ],
  })
}

const removedCloudName = ({ stores, drivers }: DeletePorts, cluster: Cluster): Write[] => {
  const name = drivers.cluster.resolve(cluster.driver).cloud?.nameOf(cluster)
  return name === undefined ? [] : [stores.clusters.removeCloudName(cluster, name)]
}

const forgotten = (ports: DeletePorts, cluster: Cluster): Write[] => [
  ...removedCloudName(ports, cluster),
  ports.stores.credentials.remove(kubeconfigKey(cluster)),
  droppedCredential(ports, cluster),
  droppedFacts(ports, cluster),
  ...removedAuthorities(ports, cluster),
  ...forgottenGrants(ports, cluster),
  ...releasedClaims(ports, cluster),
  ...movedTemplateUses(ports, cluster, null),
  ...(cluster.madeThrough ? [ports.stores.management.countUse(cluster.madeThrough.id, cluster.driver, -1)] : []),
]

/**
 * Gone, with its node groups, its secrets, its claim and its place in the quota. `notes` say what a forced delete left behind.
 *
 * @throws OperationSuperseded
 */
export const endClusterDelete = async (ports: DeletePorts, target: Target, notes: readonly string[]): Promise<void> => {
  const deleted = await openCluster(ports, target)
  await removeGrantsOf(ports, deleted)
  await forgetLeftIn(ports, deleted)
  await inBatches(ports, target, {
    isLeft: () => true,
    write: (group) => [ports.stores.nodeGroups.remove(group)],
    last: (cluster) => [
      ports.stores.clusters.remove(cluster),
      ...forgotten(ports, cluster),
      ownerEvent(ports, 'cluster', cluster, {
        action: 'delete',
        outcome: 'success',
        reason: notes.length === 0 ? 'Deleted' : 'LeftBehind',
        message: `Cluster ${cluster.name} was deleted${notes.length === 0 ? '' : `, but: ${notes.join('; ')}`}.`,
      }),
    ],
  })
  // A crash before this leaves the count too high; the quota's store repairs that by counting.
  await ports.stores.quotas.freePlace(target.projectId)
  await forgetObserving(ports, { projectId: target.projectId, clusterId: target.entityId })
}
