import { isDeepStrictEqual } from 'node:util'
import { ClusterAlreadyRegistered } from '../../drivers/contract/errors.ts'
import { ReservationTaken } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster, ClusterChange, ClusterEndpoint, ClusterIdentity } from '../cluster/cluster.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../operation/subjects.ts'
import type { Ports } from '../ports.ts'
import type { JsonObject } from '../values/json.ts'
import { Secret } from '../values/secret.ts'
import { candidateFactsKey, candidateKey, kubeconfigKey } from './credentials.ts'
import type { IdentityMark } from './identity-mark.ts'
import type { IdentityProof } from './same-cluster.ts'

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

type CandidatePorts = Pick<Ports, 'stores'>

/**
 * What an update found, such as with a new credential. Sealed: the table alone must neither show an endpoint that is not proved, nor say that somebody
 * vouched for it.
 */
export type ClusterCandidate = {
  endpoint?: ClusterEndpoint
  identity?: ClusterIdentity
  /** Id of the user who vouches that the new endpoint is the registered cluster. */
  vouchedBy?: string
  /** The mark that was, or is being, written for the comparison. */
  mark?: IdentityMark
  /** How it was found to be the registered cluster, where that is not to be done again. */
  proof?: IdentityProof
}

/** What is noted so far. */
export const candidateFacts = async (ports: CandidatePorts, cluster: Cluster): Promise<ClusterCandidate> => {
  const noted = await ports.stores.credentials.get(candidateFactsKey(cluster))
  return noted === undefined ? {} : (JSON.parse(noted.reveal()) as ClusterCandidate)
}

/** Notes facts of an update under way. No write when nothing is new. */
export const noteCandidateFacts = async (
  ports: CandidatePorts,
  cluster: Cluster,
  more: ClusterCandidate,
): Promise<Write[]> => {
  const before = await candidateFacts(ports, cluster)
  const facts: ClusterCandidate = { ...before, ...more }
  if (isDeepStrictEqual(facts, before)) return []
  return [await ports.stores.credentials.seal(candidateFactsKey(cluster), new Secret(JSON.stringify(facts)))]
}

/** The new endpoint, with the address for peers that the old one had unless the new one brings its own. */
const mergedEndpoint = (cluster: Cluster, found: ClusterEndpoint | undefined): ClusterEndpoint | null =>
  found === undefined
    ? cluster.endpoint
    : { ...found, serverForPeers: found.serverForPeers ?? cluster.endpoint?.serverForPeers ?? null }

/** Puts the facts of an update in force. */
export const promotedFacts = async (
  ports: CandidatePorts,
  cluster: Cluster,
): Promise<{ change: ClusterChange; writes: Write[] }> => {
  const { endpoint, identity } = await candidateFacts(ports, cluster)
  return {
    change: { endpoint: mergedEndpoint(cluster, endpoint), identity: identity ?? cluster.identity },
    writes: [droppedFacts(ports, cluster)],
  }
}

/** Forgets the facts of an update. */
export const droppedFacts = ({ stores }: CandidatePorts, cluster: Cluster): Write =>
  stores.credentials.remove(candidateFactsKey(cluster))

/** Puts the candidate credential in the place of the old one. */
export const promotedCredential = async (ports: CandidatePorts, cluster: Cluster): Promise<Write[]> => {
  const { credentials } = ports.stores
  const candidate = await credentials.get(candidateKey(cluster))
  return [
    ...(candidate === undefined ? [] : [await credentials.seal(kubeconfigKey(cluster), candidate)]),
    droppedCredential(ports, cluster),
  ]
}

/** Forgets the candidate credential. */
export const droppedCredential = ({ stores }: CandidatePorts, cluster: Cluster): Write =>
  stores.credentials.remove(candidateKey(cluster))
