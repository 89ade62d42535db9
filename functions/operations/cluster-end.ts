import type { Cluster, ClusterChange, ClusterEndpoint, ClusterIdentity } from '../domain/cluster.ts'
import type { DomainEvent } from '../domain/event.ts'
import { Secret } from '../domain/secret.ts'
import type {
  AddressForbidden,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  PermissionDenied,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../kubernetes/errors.ts'
import type { Ports } from '../runtime/ports.ts'
import type { Write } from '../store/write.ts'
import { CLAIMED_UID, withoutClaim } from './cluster-identity.ts'
import { untilNoConflict } from './conflict.ts'
import { candidateFactsKey, candidateKey, kubeconfigKey } from './credentials.ts'
import { ownerEvent } from './events.ts'
import { describeFailure, type Failure } from './failure.ts'
import { openCluster, type Target } from './subjects.ts'

type KubeconfigFailure =
  | AddressForbidden
  | ConnectFailed
  | ConnectTimedOut
  | CredentialRejected
  | DnsLookupFailed
  | NotKubernetes
  | PermissionDenied
  | RequestTimedOut
  | TlsVerificationFailed

type EndPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>
type Said = Pick<DomainEvent, 'action' | 'outcome' | 'reason' | 'message'>

/** What an update found with a new credential. */
export type ClusterCandidate = { endpoint?: ClusterEndpoint; identity?: ClusterIdentity }

/** Reads the facts noted beside a candidate credential; none when there are none. */
const candidateFacts = async (ports: Pick<Ports, 'stores'>, cluster: Cluster): Promise<ClusterCandidate> => {
  const noted = await ports.stores.credentials.get(candidateFactsKey(cluster))
  return noted === undefined ? {} : (JSON.parse(noted.reveal()) as ClusterCandidate)
}

/** Notes facts beside a candidate credential: sealed, since an endpoint that is not proved must not show yet. */
export const noteCandidateFacts = async (
  ports: Pick<Ports, 'stores'>,
  cluster: Cluster,
  more: ClusterCandidate,
): Promise<Write> => {
  const facts: ClusterCandidate = { ...(await candidateFacts(ports, cluster)), ...more }
  return ports.stores.credentials.seal(candidateFactsKey(cluster), new Secret(JSON.stringify(facts)))
}

const end = (
  ports: EndPorts,
  target: Target,
  decide: (cluster: Cluster) => Promise<{ change: ClusterChange; said: Said; writes?: Write[] }>,
): Promise<void> =>
  untilNoConflict(async () => {
    const cluster = await openCluster(ports, target)
    const { change, said, writes = [] } = await decide(cluster)
    await ports.stores.commit([
      ports.stores.clusters.change(cluster, { operation: null, updatedAt: ports.clock.now().toISOString(), ...change }),
      ...writes,
      ownerEvent(ports, 'cluster', cluster, said),
    ])
  })

/** Ready for use. @throws OperationSuperseded */
export const endClusterCreate = (ports: EndPorts, target: Target): Promise<void> =>
  end(ports, target, async (cluster) => ({
    change: { status: 'CREATE_COMPLETE', statusReason: null },
    said: { action: 'create', outcome: 'success', reason: 'Created', message: `Cluster ${cluster.name} is ready.` },
  }))

/** The uid claims of a cluster: of its identity, and one made by an attempt that did not get as far. */
const releasedClaims = (ports: EndPorts, cluster: Cluster): Write[] => {
  const claimed = cluster.driverState[CLAIMED_UID]
  const uids = new Set([cluster.identity?.uid, typeof claimed === 'string' ? claimed : undefined])
  return [...uids]
    .filter((uid) => uid !== undefined)
    .map((uid) => ports.stores.clusters.releaseUid(cluster.projectId, uid, cluster.id))
}

const removedCandidate = (ports: EndPorts, cluster: Cluster): Write[] => [
  ports.stores.credentials.remove(candidateKey(cluster)),
  ports.stores.credentials.remove(candidateFactsKey(cluster)),
]

/** Failures that another kubeconfig may mend: the address or the credential is wrong, or was out of reach. */
const MENDED_BY_KUBECONFIG: ReadonlySet<string> = new Set<KubeconfigFailure['name']>([
  'AddressForbidden',
  'ConnectFailed',
  'ConnectTimedOut',
  'CredentialRejected',
  'DnsLookupFailed',
  'NotKubernetes',
  'PermissionDenied',
  'RequestTimedOut',
  'TlsVerificationFailed',
])

const retryOf = ({ id }: Cluster, { reason }: Failure): string =>
  MENDED_BY_KUBECONFIG.has(reason) ? ` PATCH /v1/clusters/${id} with replace /kubeconfig retries the registration.` : ''

/**
 * The registration failed: its identity is free for others, its credential is dropped. A new credential (`PATCH replace /kubeconfig`)
 * starts it again.
 *
 * @throws OperationSuperseded
 */
export const endClusterCreateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  end(ports, target, async (cluster) => ({
    change: {
      status: 'CREATE_FAILED',
      statusReason: `${describeFailure(failure)}${retryOf(cluster, failure)}`,
      identity: null,
      driverState: withoutClaim(cluster.driverState),
    },
    writes: [...releasedClaims(ports, cluster), ports.stores.credentials.remove(kubeconfigKey(cluster))],
    said: { action: 'create', outcome: 'failure', ...failure },
  }))

/** The new endpoint, with the address for peers that the old one had unless the new one brings its own. */
const mergedEndpoint = (cluster: Cluster, found: ClusterEndpoint | undefined): ClusterEndpoint | null =>
  found === undefined
    ? cluster.endpoint
    : { ...found, serverForPeers: found.serverForPeers ?? cluster.endpoint?.serverForPeers ?? null }

/** The candidate credential is proved: it takes the place of the old one. @throws OperationSuperseded */
export const endClusterUpdate = (ports: EndPorts, target: Target): Promise<void> =>
  end(ports, target, async (cluster) => {
    const candidate = await ports.stores.credentials.get(candidateKey(cluster))
    const facts = await candidateFacts(ports, cluster)
    return {
      change: {
        status: 'UPDATE_COMPLETE',
        statusReason: null,
        endpoint: mergedEndpoint(cluster, facts.endpoint),
        identity: facts.identity ?? cluster.identity,
      },
      writes: [
        ...(candidate === undefined ? [] : [await ports.stores.credentials.seal(kubeconfigKey(cluster), candidate)]),
        ...removedCandidate(ports, cluster),
      ],
      said: {
        action: 'update',
        outcome: 'success',
        reason: 'Updated',
        message: `Cluster ${cluster.name} was updated.`,
      },
    }
  })

/** Everything stays as before the update. @throws OperationSuperseded */
export const endClusterUpdateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  end(ports, target, async (cluster) => ({
    change: {
      status: 'UPDATE_FAILED',
      statusReason: describeFailure(failure),
      ...(cluster.identity === null ? { driverState: withoutClaim(cluster.driverState) } : {}),
    },
    writes: [...removedCandidate(ports, cluster), ...(cluster.identity === null ? releasedClaims(ports, cluster) : [])],
    said: { action: 'update', outcome: 'failure', ...failure },
  }))

/** Something of it could not be removed: it stays, to be deleted again. @throws OperationSuperseded */
export const endClusterDeleteFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  end(ports, target, async () => ({
    change: { status: 'DELETE_FAILED', statusReason: describeFailure(failure) },
    said: { action: 'delete', outcome: 'failure', ...failure },
  }))

/** Gone, with its secrets and its claim. `notes` say what a forced delete left behind. @throws OperationSuperseded */
export const endClusterDelete = (ports: EndPorts, target: Target, notes: readonly string[]): Promise<void> =>
  untilNoConflict(async () => {
    const cluster = await openCluster(ports, target)
    await ports.stores.commit([
      ports.stores.clusters.remove(cluster),
      ports.stores.credentials.remove(kubeconfigKey(cluster)),
      ...removedCandidate(ports, cluster),
      ...releasedClaims(ports, cluster),
      ownerEvent(ports, 'cluster', cluster, {
        action: 'delete',
        outcome: 'success',
        reason: notes.length === 0 ? 'Deleted' : 'LeftBehind',
        message: notes.length === 0 ? `Cluster ${cluster.name} was deleted.` : notes.join(' '),
      }),
    ])
  })
