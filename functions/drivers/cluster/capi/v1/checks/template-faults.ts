import type { ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { listInWords, quote } from '../../../../../core/values/wording.ts'
import type { Infrastructure } from '../infrastructure.ts'

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
