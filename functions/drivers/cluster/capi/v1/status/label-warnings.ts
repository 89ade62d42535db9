import * as z from 'zod'
import type { Labels } from '../../../../../core/values/labels.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { type Wanted, wantedGroupLabels, wantedLabels } from '../model/desired.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { ALL_RULES, clusterValues } from '../model/labels.ts'
import { podsCidr } from '../model/networks.ts'
import { networkDriverOf } from '../render/plan.ts'

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
