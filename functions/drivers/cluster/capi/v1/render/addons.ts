import { wantedLabels } from '../desired.ts'
import type { ClusterValues } from '../labels.ts'
import { networkDriverOf } from './network-driver.ts'
import type { RenderPlan } from './plan.ts'
import { clusterWish } from './wish.ts'

/** Manifests that the operator keeps as a Secret in the management cluster, in the namespace that option `addons_namespace` names. */
export type AddonWish = {
  /** For example `calico`. */
  addon: string
  /** Name of the operator's Secret: the addon's, or with a label for its release `calico-v3.30.2`. */
  secret: string
  /** True: without it the cluster would not be what was asked for. Others are left out when there is none. */
  isRequired: boolean
  /** Why it is needed, to complete a sentence: `network_driver is calico`. */
  reason: string
}

type Asked = { addon: string; tag: string | undefined; isRequired: boolean; reason: string }

/** Labels that ask for an addon when they are true, with the one for its release. On by default means: when the operator has it. */
const SWITCHES = [
  { addon: 'cinder-csi', label: 'cinder_csi_enabled', tag: 'cinder_csi_plugin_tag' },
  { addon: 'manila-csi', label: 'manila_csi_enabled', tag: 'manila_csi_plugin_tag' },
  { addon: 'keystone-auth', label: 'keystone_auth_enabled', tag: undefined },
  { addon: 'monitoring', label: 'monitoring_enabled', tag: undefined },
] as const

const switched = (values: ClusterValues, labels: Readonly<Record<string, string>>): Asked[] =>
  SWITCHES.filter(({ label }) => values[label]).map(({ addon, label, tag }) => ({
    addon,
    tag: tag && values[tag],
    isRequired: (labels[label] ?? '') !== '' || (tag !== undefined && values[tag] !== undefined),
    reason: `label ${label} is true`,
  }))

/** Without a CNI no node becomes Ready; without the cloud's controllers no node loses its taint `uninitialized`. */
const basic = (values: ClusterValues, networkDriver: string): Asked[] => [
  {
    addon: networkDriver,
    tag: networkDriver === 'cilium' ? values.cilium_tag : values.calico_tag,
    isRequired: true,
    reason: `network_driver is ${networkDriver}`,
  },
  {
    addon: 'cloud-provider-openstack',
    tag: values.cloud_provider_tag,
    isRequired: true,
    reason: 'its nodes are machines of OpenStack',
  },
]

/** What is to be looked up for a cluster. None where the registration names no namespace for it, and for infrastructures whose nodes run nothing. */
export const addonWishes = (plan: RenderPlan, options: Readonly<Record<string, string>>): AddonWish[] => {
  if (options.addons_namespace === undefined || plan.infrastructure !== 'openstack') return []
  const { values } = clusterWish(plan)
  return [...basic(values, networkDriverOf(plan)), ...switched(values, wantedLabels(plan))].map(
    ({ tag, ...asked }) => ({ ...asked, secret: tag === undefined ? asked.addon : `${asked.addon}-${tag}` }),
  )
}

/** What to say when the operator has no such Secret. */
export const addonMissing = ({ addon, secret, reason }: AddonWish, namespace: string, where: string): string =>
  `Management cluster ${where} has no Secret ${secret} in namespace ${namespace}, which would bring the addon ${addon}: ${reason}. ` +
  'Ask its operator for it, or choose another one.'
