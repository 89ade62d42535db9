import type { Cluster, ClusterObservation } from '../../../../core/cluster/cluster.ts'
import { isAppError } from '../../../../core/values/app-error.ts'
import type { KubernetesClient } from '../../../../kubernetes/client.ts'
import {
  AddressForbidden,
  ApiThrottled,
  CredentialRejected,
  NotKubernetes,
  PermissionDenied,
} from '../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../kubernetes/resources.ts'
import type { ClusterContext } from '../../../contract/cluster-driver.ts'
import { connectionOf } from './connection.ts'
import { labelRemarks } from './labels-remarks.ts'
import type { ManagementSite } from './management/site.ts'
import type { Snapshot } from './management/snapshot.ts'
import { observationOf, type Probe } from './status/health.ts'
import { keptNetworks } from './status/kept-networks.ts'

/** Faults of our credential, haste or network that say nothing of the cluster. */
const NOT_ITS_FAULT = [AddressForbidden, ApiThrottled, CredentialRejected, PermissionDenied]

/** Runs something with a client of the cluster's own API, and closes that. @throws errors of reaching it */
export const inCluster = async <T>(
  context: ClusterContext,
  use: (client: KubernetesClient) => Promise<T>,
): Promise<T> => {
  const { cluster, authority, connect, now } = context
  const client = connect(await connectionOf(cluster, authority, new Date(now())))
  try {
    return await use(client)
  } finally {
    client.close()
  }
}

/**
 * Who the cluster is: the uid of its `kube-system` namespace. API servers of the in-memory infrastructure give none; there the uid of the Cluster object stands for it.
 *
 * @throws NotKubernetes when there is none
 */
export const identityIn = async (
  client: KubernetesClient,
  { infrastructure }: Pick<ManagementSite, 'infrastructure'>,
  { cluster }: Snapshot,
): Promise<string> => {
  const found = await client.get(namespaces, 'kube-system')
  const uid = found?.metadata.uid || (infrastructure === 'dev' && found !== undefined ? cluster?.metadata.uid : '')
  if (uid) return uid
  throw new NotKubernetes(
    'The cluster has no kube-system namespace, so it has no identity; wait until its control plane is complete.',
  )
}

const doubt = (error: unknown): Probe => {
  if (!isAppError(error)) throw error
  const isOurs = error.kind !== 'unavailable' || NOT_ITS_FAULT.some((kind) => error instanceof kind)
  return { outcome: isOurs ? 'doubt' : 'fault', message: error.message }
}

const compared = ({ identity, name }: Cluster, uid: string): Probe =>
  identity === null || identity.uid === uid
    ? { outcome: 'ok' }
    : {
        outcome: 'fault',
        message: `Another cluster answers in the place of ${name}: its kube-system namespace has another uid.`,
      }

/** One call of ours to its API: what Cluster API sees may be a minute old, and it may see what we don't. */
const probe = async (context: ClusterContext, site: ManagementSite, snapshot: Snapshot): Promise<Probe> => {
  try {
    return await inCluster(context, async (client) =>
      compared(context.cluster, await identityIn(client, site, snapshot)),
    )
  } catch (error) {
    return doubt(error)
  }
}

/** Longest text about labels, characters: it is shown with every cluster. */
const REMARKS_MAX = 500

/** Labels that change nothing are told where everybody looks: clients keep labels that other drivers take, so they are no fault. */
const remarks = (
  { cluster, nodeGroups }: ClusterContext,
  { infrastructure }: ManagementSite,
  { object }: Snapshot,
): Record<string, string> => {
  const text = [
    ...keptNetworks(object, cluster.magnum.labels),
    ...labelRemarks({ cluster, nodeGroups, template: null, task: null }, infrastructure),
  ].join(' ')
  return text === '' ? {} : { labels: text.slice(0, REMARKS_MAX) }
}

/** What is to be seen of a cluster whose objects were read. */
export const lookAt = async (
  context: ClusterContext,
  site: ManagementSite,
  snapshot: Snapshot,
): Promise<ClusterObservation> => {
  const seen = observationOf(snapshot, await probe(context, site, snapshot), context.now())
  return { ...seen, healthReason: { ...seen.healthReason, ...remarks(context, site, snapshot) } }
}
