import type { ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { listInWords, quote } from '../../../../../core/values/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { type Infrastructure, infrastructureOf, overlaps, podsCidr } from '../model/infrastructure.ts'
import { type ClusterValues, clusterValues } from '../model/labels.ts'
import { networkDriverOf } from '../render/plan.ts'

type Magnum = PlannedCluster['cluster']['magnum']

/** True when its address is a floating IP: by its label, else as the nodes'. */
const hasFloatingIp = (values: ClusterValues, magnum: Magnum): boolean =>
  values.master_lb_floating_ip_enabled ?? magnum.floatingIpEnabled ?? true

/**
 * CAPO deletes the floating IP together with the master that has it, unless it was given, and only administrators of a cloud get an address back that
 * was freed (CAPO's issue 1425): such a cluster ends with its first master, at the latest when its certificates run out.
 */
const losesAddress = ({ magnum }: Pick<PlannedCluster['cluster'], 'magnum'>): boolean =>
  !magnum.masterLbEnabled && clusterValues(magnum.labels).api_server_floating_ip === undefined

const addressFaults = (values: ClusterValues, { magnum }: Pick<PlannedCluster['cluster'], 'magnum'>): string[] => {
  if (magnum.masterLbEnabled) return []
  if (!hasFloatingIp(values, magnum)) {
    return [
      'The API server would have neither a floating IP nor a load balancer, and so no address; give "master_lb_enabled" or "floating_ip_enabled".',
    ]
  }
  return losesAddress({ magnum })
    ? [
        'Without a load balancer the API server would lose its address when its master is replaced, at the latest after a year; give "master_lb_enabled", or a floating IP of the project with the label api_server_floating_ip.',
      ]
    : []
}

/** Who may reach the API server is kept by the load balancer alone, and not by every one. */
const allowedFaults = (values: ClusterValues, { masterLbEnabled }: Magnum): string[] => {
  if (values.api_master_lb_allowed_cidrs === undefined) return []
  if (!masterLbEnabled) {
    return [
      'Label api_master_lb_allowed_cidrs is kept by the load balancer before the API server, and there would be none, so that everybody reached it; give "master_lb_enabled", or leave the label out.',
    ]
  }
  return values.octavia_provider === 'ovn'
    ? [
        'Label api_master_lb_allowed_cidrs is not kept by load balancers of the provider ovn, so that everybody would reach the API server; give another octavia_provider, or leave the label out.',
      ]
    : []
}

const ovnFaults = ({ octavia_provider: provider, octavia_lb_algorithm: algorithm }: ClusterValues): string[] =>
  provider === 'ovn' && algorithm !== undefined && algorithm !== 'SOURCE_IP_PORT'
    ? [`Label octavia_lb_algorithm is ${algorithm}; load balancers of the provider ovn know SOURCE_IP_PORT only.`]
    : []

/** Networks that share addresses: what is sent to one never arrives there. Only nodes of OpenStack have one of their own. */
export const overlapFaults = (plan: PlannedCluster): string[] => {
  const { cluster, template } = plan
  const { magnum } = cluster
  const values = clusterValues(magnum.labels)
  const hasOwn = !magnum.fixedNetwork && infrastructureOf(plan.management?.options ?? {}) === 'openstack'
  const networks: [whose: string, cidr: string][] = [
    ['pods', podsCidr(values, networkDriverOf({ previous: undefined, template }))],
    ['Services', values.service_cluster_ip_range],
    ...(hasOwn ? [['nodes', values.fixed_subnet_cidr] as [string, string]] : []),
  ]
  return networks.flatMap(([whose, cidr], index) =>
    networks
      .slice(index + 1)
      .filter(([, other]) => overlaps(cidr, other))
      .map(
        ([others, other]) =>
          `The networks of ${whose} (${cidr}) and ${others} (${other}) share addresses; give networks that do not overlap, by label.`,
      ),
  )
}

/** What does not fit together in the network of a new cluster of OpenStack. */
export const networkFaults = (plan: PlannedCluster): string[] => {
  const { magnum } = plan.cluster
  const values = clusterValues(magnum.labels)
  return [
    ...ovnFaults(values),
    ...(magnum.fixedSubnet && !magnum.fixedNetwork
      ? ['"fixed_subnet" is given without "fixed_network"; give the network that it is in.']
      : []),
    ...addressFaults(values, plan.cluster),
    ...allowedFaults(values, magnum),
  ]
}

/** Why the masters of a cluster can't be replaced by others, on OpenStack. */
export const replacementFaults = ({ cluster }: Pick<PlannedCluster, 'cluster'>): string[] =>
  losesAddress(cluster)
    ? [
        `Cluster ${cluster.name} has neither a load balancer before its API server nor a floating IP that was given to it, so that it would lose its address with its master, which this replaces; make a new cluster with "master_lb_enabled".`,
      ]
    : []

/** Network drivers that both Magnum drivers for Cluster API know. */
const NETWORK_DRIVERS = ['calico', 'cilium']

/** Distributions whose images image-builder makes with kubeadm. */
const DISTROS = ['ubuntu', 'ubuntu-focal', 'debian', 'flatcar', 'rockylinux']

/** No spaces, quotes or control characters: they are written into files of the machines. */
const PROXY = /^[\w.:/@%~,*+[\]-]{1,1000}$/

const proxyFaults = (spec: ClusterTemplateSpec): string[] =>
  Object.entries({ http_proxy: spec.httpProxy, https_proxy: spec.httpsProxy, no_proxy: spec.noProxy }).flatMap(
    ([key, value]) =>
      value === null || value === '' || PROXY.test(value)
        ? []
        : [`"${key}" of the cluster template is ${quote(value)}; give addresses without spaces and quotes.`],
  )

const choiceFaults = (attribute: string, value: string | null, choices: readonly string[]): string[] =>
  value === null || value === '' || choices.includes(value)
    ? []
    : [`"${attribute}" of the cluster template is ${quote(value)}; capi@1 takes ${listInWords(choices)}.`]

/** What is wrong with a template for machines of OpenStack. */
const openstackFaults = (spec: ClusterTemplateSpec): string[] => [
  ...choiceFaults('network_driver', spec.networkDriver, NETWORK_DRIVERS),
  ...choiceFaults('cluster_distro', spec.clusterDistro, DISTROS),
  ...(spec.serverType === 'vm'
    ? []
    : [`"server_type" of the cluster template is ${quote(spec.serverType)}; capi@1 makes virtual machines: give vm.`]),
  ...proxyFaults(spec),
]

/** What is wrong with a template, for a new cluster and for an upgrade. */
export const templateFaults = (spec: ClusterTemplateSpec, infrastructure: Infrastructure | undefined): string[] =>
  infrastructure === 'openstack' ? openstackFaults(spec) : []
