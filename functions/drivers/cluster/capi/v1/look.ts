import type { Cluster, ClusterObservation } from '../../../../core/cluster/cluster.ts'
import { isAppError } from '../../../../core/values/app-error.ts'
import type { Labels } from '../../../../core/values/labels.ts'
import { byNumber, listInWords, quote } from '../../../../core/values/wording.ts'
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
import { type Wanted, wantedGroupLabels, wantedLabels } from './desired.ts'
import type { Infrastructure } from './infrastructure.ts'
import { ALL_RULES } from './labels.ts'
import type { ManagementSite } from './management/site.ts'
import type { Snapshot } from './management/snapshot.ts'
import { observationOf, type Probe } from './status/health.ts'
import { keptNetworks } from './status/kept-networks.ts'

/** Labels that other Magnum drivers know and this one can't follow, with the reason, which completes a sentence after the label's name. */
export const LABELS_WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  capi_helm_chart_version: 'chooses a Helm chart, and no chart is used',
  server_group_policies: 'asks for a Nova server group, and none is made',
  different_failure_domain: 'asks for a Nova server group, and none is made',
  cilium_hubble_ui_enabled: 'is for manifests that the operator gives as a whole',
  kube_dashboard_enabled: 'asks for an addon that its makers gave up',
  manila_csi_share_network_id: 'is for manifests that the operator gives as a whole',
}

const allLabels = (wanted: Wanted): Labels =>
  Object.assign({}, ...wanted.nodeGroups.map((group) => wantedGroupLabels(wanted, group)), wantedLabels(wanted))

/** Labels that change nothing, by why: see `labelRemarks`. */
const idleLabels = (labels: Labels, infrastructure: Infrastructure) => {
  const keys = Object.keys(labels).sort()
  const isKnown = (key: string): boolean => Object.hasOwn(ALL_RULES, key)
  return {
    unknown: keys.filter((key) => !isKnown(key) && !Object.hasOwn(LABELS_WITHOUT_EFFECT, key)),
    elsewhere: keys.filter(
      (key) => isKnown(key) && ALL_RULES[key]?.on !== undefined && ALL_RULES[key].on !== infrastructure,
    ),
    without: keys.filter((key) => Object.hasOwn(LABELS_WITHOUT_EFFECT, key)),
  }
}

const sentence = (keys: readonly string[], one: string, several: string): string[] =>
  keys.length === 0
    ? []
    : [`${byNumber(keys, 'Label', 'Labels')} ${listInWords(keys.map(quote))} ${byNumber(keys, one, several)}.`]

/**
 * Whole sentences about labels that change nothing: misspelt ones, those of other drivers, and those of another infrastructure. Not faults: clients keep
 * labels that another driver took.
 */
export const labelRemarks = (wanted: Wanted, infrastructure: Infrastructure): string[] => {
  const { unknown, elsewhere, without } = idleLabels(allLabels(wanted), infrastructure)
  return [
    ...sentence(unknown, 'is not known to capi@1 and changes nothing', 'are not known to capi@1 and change nothing'),
    ...sentence(
      elsewhere,
      `changes nothing on the infrastructure ${infrastructure}`,
      `change nothing on the infrastructure ${infrastructure}`,
    ),
    ...without.map((key) => `Label ${quote(key)} changes nothing: it ${LABELS_WITHOUT_EFFECT[key]}.`),
  ]
}

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
