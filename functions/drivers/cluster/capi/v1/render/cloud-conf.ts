import { looksLikeUuid } from '../../../../../core/values/ids.ts'
import type { CloudCredential } from '../../../../contract/cluster-driver.ts'
import type { ClusterValues } from '../model/labels.ts'
import { type DesiredGroup, desiredGroup, type RenderPlan } from './plan.ts'

type Section = readonly (readonly [key: string, value: string | boolean | null | undefined])[]

/** In quotes, with escapes for what would end them (gcfg). */
const quoted = (value: string | boolean): string =>
  typeof value === 'boolean' ? String(value) : `"${value.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, '')}"`

const section = (title: string, lines: Section): string =>
  [
    `[${title}]`,
    ...lines.flatMap(([key, value]) => (value === null || value === undefined ? [] : [`${key}=${quoted(value)}`])),
    '',
  ].join('\n')

/** Where the Secret `cloud-config` is mounted in the manifests of cloud-provider-openstack. */
const CA_FILE = '/etc/config/ca.crt'

/** OVN's load balancers know one way only. */
const algorithmOf = ({ octavia_provider: provider, octavia_lb_algorithm: algorithm }: ClusterValues): string =>
  algorithm ?? (provider === 'ovn' ? 'SOURCE_IP_PORT' : 'ROUND_ROBIN')

/** What `cloud.conf` says of networks. */
type CloudNetworks = {
  /** Name or id of the one with floating IPs. */
  external: string | null
  /** Name of the one that nodes reach each other in, where they have others besides; undefined: not known, or the only one. */
  internal: string | undefined
}

/** `cloud.conf` of cloud-provider-openstack and Cinder CSI: who the cluster is to the cloud, and how load balancers of Services are made. */
export const cloudConf = (
  values: ClusterValues,
  { external, internal }: CloudNetworks,
  { authUrl, region, applicationCredentialId, applicationCredentialSecret, caPem }: CloudCredential,
): string =>
  [
    section('Global', [
      ['auth-url', authUrl],
      ['region', region],
      ['application-credential-id', applicationCredentialId],
      ['application-credential-secret', applicationCredentialSecret],
      ['ca-file', caPem === null ? null : CA_FILE],
    ]),
    // Else a node's address is the one that comes first, which may be in a network that neither masters nor load balancers reach.
    ...(internal === undefined ? [] : [section('Networking', [['internal-network-name', internal]])]),
    section('LoadBalancer', [
      ['lb-provider', values.octavia_provider],
      ['lb-method', algorithmOf(values)],
      ['create-monitor', values.octavia_lb_healthcheck],
      // An id only: given a name, it finds no network; given none, it looks for the external one.
      ['floating-network-id', external !== null && looksLikeUuid(external) ? external : null],
    ]),
  ].join('\n')

/** Further networks of a group's machines, by name or id. Masters have none. */
export const extraNetworks = ({ own, isMaster }: Pick<DesiredGroup, 'own' | 'isMaster'>): readonly string[] =>
  isMaster ? [] : (own.extra_network_names ?? own.extra_network_name ?? [])

/** CAPO's name for a network that it makes; the given one's, where that is known by name. */
const clusterNetworkName = ({ cluster: { magnum }, names }: RenderPlan): string | undefined => {
  const { fixedNetwork } = magnum
  if (fixedNetwork === null || fixedNetwork === '') {
    return `k8s-clusterapi-cluster-${names.namespace}-${names.cluster}`
  }
  return looksLikeUuid(fixedNetwork) ? undefined : fixedNetwork
}

/** The networks that what runs in the cluster is informed of. */
export const cloudNetworks = (plan: RenderPlan): CloudNetworks => ({
  external: plan.template?.spec.externalNetworkId ?? null,
  internal: plan.nodeGroups.some((group) => extraNetworks(desiredGroup(plan, group)).length > 0)
    ? clusterNetworkName(plan)
    : undefined,
})
