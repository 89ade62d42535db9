import { isDeepStrictEqual } from 'node:util'
import type { Write } from '../../store/write.ts'
import type { Cluster, ClusterChange, ClusterEndpoint, ClusterIdentity } from '../cluster/cluster.ts'
import type { Ports } from '../ports.ts'
import { Secret } from '../values/secret.ts'
import { candidateFactsKey, candidateKey, kubeconfigKey } from './credentials.ts'
import type { IdentityMark } from './identity-mark.ts'
import type { IdentityProof } from './same-cluster.ts'

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
