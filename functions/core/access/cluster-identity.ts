import { ClusterAlreadyRegistered } from '../../drivers/contract/errors.ts'
import { ReservationTaken } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../operation/subjects.ts'
import type { Ports } from '../ports.ts'
import type { JsonObject } from '../values/json.ts'

/**
 * Key in `driverState` for the uid that a registration claimed, written with the claim itself: so that the claim can be given back
 * by an attempt that knows no more than the stored cluster.
 */
const CLAIMED_UID = 'claimed-uid'

/** A driver's state after the claim was given back. */
export const withoutClaim = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([key]) => key !== CLAIMED_UID))

/** Gives back the uid claims of a cluster: of its identity, and one made by an attempt that did not get as far. */
export const releasedClaims = ({ stores }: Pick<Ports, 'stores'>, cluster: Cluster): Write[] => {
  const claimed = cluster.driverState[CLAIMED_UID]
  const uids = new Set([cluster.identity?.uid, typeof claimed === 'string' ? claimed : undefined])
  return [...uids]
    .filter((uid) => uid !== undefined)
    .map((uid) => stores.clusters.releaseUid(cluster.projectId, uid, cluster.id))
}

/** `"name" (id)`, or the id of one that is gone meanwhile. Names need no escapes: letters, digits, "_", "." and "-" only. */
const nameOf = async ({ stores }: Pick<Ports, 'stores'>, { projectId }: Target, id: string): Promise<string> => {
  const cluster = await stores.clusters.get({ projectId, id })
  return cluster === undefined ? id : `"${cluster.name}" (${id})`
}

/**
 * Claims a `kube-system` uid for the cluster of an operation: one registration per identity in a project.
 *
 * @throws ClusterAlreadyRegistered naming the other cluster
 * @throws OperationSuperseded
 */
export const claimIdentity = async (ports: Pick<Ports, 'stores'>, target: Target, uid: string): Promise<void> => {
  const { clusters, commit } = ports.stores
  try {
    await retryOnConflict(async () => {
      const cluster = await openCluster(ports, target)
      if (cluster.identity?.uid === uid || cluster.driverState[CLAIMED_UID] === uid) return
      await commit([
        clusters.claimUid(target.projectId, uid, cluster.id),
        clusters.change(cluster, { driverState: { ...cluster.driverState, [CLAIMED_UID]: uid } }),
      ])
    })
  } catch (error) {
    if (!(error instanceof ReservationTaken)) throw error
    const owner = String(error.details.owner ?? 'another cluster')
    throw new ClusterAlreadyRegistered(
      `This Kubernetes cluster (kube-system uid ${uid}) is registered already as cluster ${await nameOf(ports, target, owner)}. Use that one, or delete it first.`,
      { details: { clusterId: owner }, cause: error },
    )
  }
}
