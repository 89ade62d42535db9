import type { Cluster } from '../domain/cluster.ts'
import { created } from '../domain/task-groups.ts'
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
import { type EndPorts, endAndGoOn } from './cluster-end.ts'
import { releasedClaims, withoutClaim } from './cluster-identity.ts'
import { kubeconfigKey } from './credentials.ts'
import { describeFailure, type Failure } from './failure.ts'
import type { Target } from './subjects.ts'

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

/** Ready for use, with its node groups. @throws OperationSuperseded */
export const endClusterCreate = (ports: EndPorts, target: Target): Promise<void> =>
  endAndGoOn(ports, target, ({ cluster, nodeGroups }) => ({
    groups: created(nodeGroups, cluster.queue, null),
    rest: () => ({ status: 'CREATE_COMPLETE', statusReason: null }),
    said: { action: 'create', outcome: 'success', reason: 'Created', message: `Cluster ${cluster.name} is ready.` },
  }))

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
 * It could not be made or registered: its node groups say so too, its identity is free for others, its credential is dropped. A new
 * credential (`PATCH replace /kubeconfig`) starts it again.
 *
 * @throws OperationSuperseded
 */
export const endClusterCreateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  endAndGoOn(ports, target, ({ cluster, nodeGroups }) => {
    const statusReason = describeFailure(failure)
    return {
      groups: created(nodeGroups, [], statusReason),
      // Nothing can be changed of a cluster that is not there.
      abandonsQueue: true,
      change: { identity: null, driverState: withoutClaim(cluster.driverState) },
      writes: [...releasedClaims(ports, cluster), ports.stores.credentials.remove(kubeconfigKey(cluster))],
      rest: () => ({ status: 'CREATE_FAILED', statusReason: `${statusReason}${retryOf(cluster, failure)}` }),
      said: { action: 'create', outcome: 'failure', ...failure },
    }
  })
