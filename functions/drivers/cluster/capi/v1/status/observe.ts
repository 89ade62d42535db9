import * as z from 'zod'
import type { Cluster, ClusterObservation, HealthStatus } from '../../../../../core/cluster/cluster.ts'
import { isAppError } from '../../../../../core/values/app-error.ts'
import type { Labels } from '../../../../../core/values/labels.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import {
  AddressForbidden,
  ApiThrottled,
  CredentialRejected,
  PermissionDenied,
} from '../../../../../kubernetes/errors.ts'
import type { ClusterContext, ClusterProbe } from '../../../../contract/cluster-driver.ts'
import { type ManagementSite, managementSite, readSnapshot, type Snapshot } from '../management/snapshot.ts'
import { type Wanted, wantedGroupLabels, wantedLabels } from '../model/desired.ts'
import { type Infrastructure, podsCidr } from '../model/infrastructure.ts'
import { ALL_RULES, clusterValues } from '../model/labels.ts'
import { networkDriverOf } from '../render/plan.ts'
import { identityIn, inCluster } from './access.ts'
import { isClusterDone } from './done.ts'
import { countedResult } from './groups.ts'
import { observationOf, type Probe } from './health.ts'

const Blocks = z.object({ cidrBlocks: z.array(z.string()).default([]) }).prefault({})
const Networked = z.object({ clusterNetwork: z.object({ pods: Blocks, services: Blocks }).optional() })

/**
 * Whole sentences about networks that labels name and the cluster has not: those of an upgrade's template, which its labels follow. Networks stay as they were
 * made.
 */
export const keptNetworks = (object: KubernetesObject | undefined, labels: Labels): string[] => {
  const network = Networked.safeParse(object?.spec ?? {}).data?.clusterNetwork
  if (network === undefined) return []
  const values = clusterValues(labels)
  const wanted = [
    ['Services', values.service_cluster_ip_range, network.services.cidrBlocks],
    ['pods', podsCidr(values, networkDriverOf({ previous: object, template: null })), network.pods.cidrBlocks],
  ] as const
  return wanted.flatMap(([whose, cidr, [own]]) =>
    own === undefined || own === cidr
      ? []
      : [`The network of ${whose} is ${own}, as the cluster was made, and not ${cidr}, which its labels come to.`],
  )
}

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

/** Labels that change nothing, by why: see `labelWarnings`. */
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
export const labelWarnings = (wanted: Wanted, infrastructure: Infrastructure): string[] => {
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
        isOther: true,
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
  const probed = await probe(context, site, snapshot)
  const seen = observationOf(snapshot, probed, context.now())
  const other = 'isOther' in probed && seen.healthStatus === 'UNHEALTHY' ? ({ isOther: true } as const) : {}
  return { ...seen, ...other, healthReason: { ...seen.healthReason, ...warnings(context, site, snapshot) } }
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
