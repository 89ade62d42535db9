import type { Cluster, ClusterObservation, HealthStatus } from '../../../../../core/cluster/cluster.ts'
import { isAppError } from '../../../../../core/values/app-error.ts'
import {
  AddressForbidden,
  ApiThrottled,
  CredentialRejected,
  PermissionDenied,
} from '../../../../../kubernetes/errors.ts'
import type { ClusterContext, ClusterProbe } from '../../../../contract/cluster-driver.ts'
import { type ManagementSite, managementSite } from '../management/site.ts'
import { readSnapshot, type Snapshot } from '../management/snapshot.ts'
import { identityIn, inCluster } from './access.ts'
import { isClusterDone } from './done.ts'
import { countedResult } from './groups.ts'
import { observationOf, type Probe } from './health.ts'
import { keptNetworks, labelWarnings } from './label-warnings.ts'

/** Faults of our credential, haste or network that say nothing of the cluster. */
const NOT_ITS_FAULT = [AddressForbidden, ApiThrottled, CredentialRejected, PermissionDenied]

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
const WARNINGS_MAX = 500

/** Labels that change nothing are reported where everybody looks: clients keep labels that other drivers take, so they are no fault. */
const warnings = (
  { cluster, nodeGroups }: ClusterContext,
  { infrastructure }: ManagementSite,
  { object }: Snapshot,
): Record<string, string> => {
  const text = [
    ...keptNetworks(object, cluster.magnum.labels),
    ...labelWarnings({ cluster, nodeGroups, template: null, task: null }, infrastructure),
  ].join(' ')
  return text === '' ? {} : { labels: text.slice(0, WARNINGS_MAX) }
}

/** What is to be seen of a cluster whose objects were read. */
export const observeSnapshot = async (
  context: ClusterContext,
  site: ManagementSite,
  snapshot: Snapshot,
): Promise<ClusterObservation> => {
  const seen = observationOf(snapshot, await probe(context, site, snapshot), context.now())
  return { ...seen, healthReason: { ...seen.healthReason, ...warnings(context, site, snapshot) } }
}

/** An observation that saw nothing keeps version and counts of the last one. */
const blind = (
  { cluster, now }: ClusterContext,
  healthStatus: HealthStatus,
  why: Record<string, string>,
): ClusterObservation => ({
  observedAt: now(),
  healthStatus,
  healthReason: why,
  version: cluster.observation?.version ?? null,
  nodeCount: cluster.observation?.nodeCount ?? 0,
  masterCount: cluster.observation?.masterCount ?? 0,
})

const observeOnce = async (context: ClusterContext): Promise<ClusterProbe> => {
  const site = await managementSite(context)
  const snapshot = await readSnapshot(site)
  if (snapshot.cluster === undefined) {
    const { cluster: name, namespace } = site.names
    const api = `Cluster ${namespace}/${name} is not in the management cluster ${site.where}.`
    return blind(context, 'UNHEALTHY', { api })
  }
  return {
    ...(await observeSnapshot(context, site, snapshot)),
    nodeGroups: context.nodeGroups.flatMap((group) => countedResult(snapshot, group)),
    isComplete: context.cluster.status === 'CREATE_FAILED' && isClusterDone(snapshot),
  }
}

/** One observation, at the objects in the management cluster and at the cluster's own API. UNKNOWN when the objects can't be read. */
export const observe = async (context: ClusterContext): Promise<ClusterProbe> => {
  try {
    return await observeOnce(context)
  } catch (error) {
    if (!isAppError(error)) throw error
    return blind(context, 'UNKNOWN', { management: error.message })
  }
}
