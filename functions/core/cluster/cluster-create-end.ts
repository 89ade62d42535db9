import type { ManagementUnfit, ManagementUnreachable } from '../../drivers/contract/errors.ts'
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
} from '../../kubernetes/errors.ts'
import type { Write } from '../../store/write.ts'
import { releasedClaims, withoutClaim } from '../access/cluster-identity.ts'
import { kubeconfigKey } from '../access/credentials.ts'
import { describeFailure, type Failure } from '../operation/operation.ts'
import type { Target } from '../operation/subjects.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import { type EndPorts, endAndGoOn } from './cluster-end.ts'
import { created } from './task-groups.ts'

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
  | ManagementUnfit
  | ManagementUnreachable

/** Ready for use, with its node groups. @throws OperationSuperseded */
export const endClusterCreate = (ports: EndPorts, target: Target): Promise<void> =>
  endAndGoOn(ports, target, ({ cluster, nodeGroups }) => ({
    groups: created(nodeGroups, cluster.queue, null),
    rest: () => ({ status: 'CREATE_COMPLETE', statusReason: null }),
    said: { action: 'create', outcome: 'success', reason: 'Created', message: `Cluster ${cluster.name} is ready.` },
  }))

/** Failures that another kubeconfig may repair: the address or the credential is wrong, or was out of reach, or what it lacked is there now. */
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
  'ManagementUnfit',
  'ManagementUnreachable',
])

/** What can be done about it, in a whole sentence; empty when nothing but another cluster. */
const retryOf = ({ drivers }: EndPorts, { id, driver, madeThrough, uses }: Cluster, { reason }: Failure): string => {
  // Used before it is there: the host of a federation that was created with it, and says what becomes of it.
  if (uses.length > 0) return ''
  if (madeThrough) {
    return ' What was made stays: if the cluster comes up after all, the create goes on by itself. If its health says that nothing is there, delete it and make it anew.'
  }
  if (!MENDED_BY_KUBECONFIG.has(reason)) return ''
  const { capabilities, registration } = drivers.cluster.resolve(driver)
  if (capabilities.needsKubeconfig) {
    return ` PATCH /v1/clusters/${id} with replace /kubeconfig retries the registration.`
  }
  return registration === undefined ? '' : ` ${registration.advice.credential}`
}

/**
 * What a create that failed leaves nothing of; only a management cluster's kubeconfig stays, since another role tries it again. A cluster that is made through another one may come up after all, and its create is then gone
 * on with: it keeps everything.
 */
const forgotten = (ports: EndPorts, cluster: Cluster): { change: ClusterChange; writes: Write[] } =>
  cluster.madeThrough
    ? { change: {}, writes: [] }
    : {
        change: { identity: null, driverState: withoutClaim(cluster.driverState) },
        writes: [
          ...releasedClaims(ports, cluster),
          ...(cluster.management ? [] : [ports.stores.credentials.remove(kubeconfigKey(cluster))]),
        ],
      }

/**
 * It could not be made or registered: its node groups say so too, its identity is free for others, its credential is dropped unless it is a management cluster. A new
 * credential (`PATCH replace /kubeconfig`) starts it again; of a cluster that is made through another one, an observation that finds it come up.
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
      ...forgotten(ports, cluster),
      rest: () => ({ status: 'CREATE_FAILED', statusReason: `${statusReason}${retryOf(ports, cluster, failure)}` }),
      said: { action: 'create', outcome: 'failure', ...failure },
    }
  })
