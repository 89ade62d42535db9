import { isOlderVersion } from '../../../../../core/values/kubernetes.ts'
import { byNumber, listInWords, quote } from '../../../../../core/values/wording.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { firstVersion } from '../model/desired.ts'
import { INFRASTRUCTURES } from '../model/infrastructure.ts'
import { type ClusterValues, clusterValues, labelFaults } from '../model/labels.ts'
import { networkFaults, overlapFaults, templateFaults } from './networks.ts'
import { infrastructureOfPlan, newGroupFaults, sizeFaults } from './node-group.ts'

const oidcFaults = (values: ClusterValues): string[] => {
  const { oidc_issuer_url: issuer, oidc_client_id: client } = values
  const others = [
    values.oidc_username_claim,
    values.oidc_username_prefix,
    values.oidc_groups_claim,
    values.oidc_groups_prefix,
  ]
  const isAsked = [issuer, client, ...others].some((value) => value !== undefined)
  return isAsked && (issuer === undefined || client === undefined)
    ? [
        'Labels oidc_issuer_url and oidc_client_id go together: with one of them, or others of OpenID Connect alone, no API server starts; give both, or none.',
      ]
    : []
}

/** Admission plugins that templates of old name, gone since Kubernetes 1.25 to 1.31. */
const GONE = [
  'DenyEscalatingExec',
  'DenyExecOnPrivileged',
  'Initializers',
  'PersistentVolumeLabel',
  'PodPreset',
  'PodSecurityPolicy',
  'SecurityContextDeny',
]

const admissionFaults = ({ admission_control_list: plugins = [] }: ClusterValues): string[] => {
  const gone = plugins.filter((plugin) => GONE.includes(plugin))
  return gone.length === 0
    ? []
    : [
        `Label admission_control_list names ${listInWords(gone)}, which ${byNumber(gone, 'is', 'are')} no longer in Kubernetes, so that no API server would start; leave ${byNumber(gone, 'it', 'them')} out.`,
      ]
}

/** Ports of a master that kubeadm gives to others: SSH, etcd, kubelet, kube-proxy, controllers and scheduler. */
const TAKEN = [22, 2379, 2380, 2381, 10248, 10249, 10250, 10256, 10257, 10259]
/** Where k8s-keystone-auth listens. */
const KEYSTONE_PORT = 8443

/** A port of the API server that is somebody else's on a master. */
const portFaults = (port: number | null, { keystone_auth_enabled: hasKeystone }: ClusterValues): string[] =>
  port !== null && (TAKEN.includes(port) || (hasKeystone && port === KEYSTONE_PORT))
    ? [
        `"apiserver_port" of the cluster template is ${port}, where something else listens on masters; give another one.`,
      ]
    : []

/** What keeps API servers from starting: nobody would see why, since Cluster API sees only that they do not answer. */
export const apiServerFaults = (values: ClusterValues): string[] => [...oidcFaults(values), ...admissionFaults(values)]

const infrastructureFaults = (plan: PlannedCluster): string[] => {
  const { management } = plan
  if (management === null) {
    return [
      'Clusters of capi@1 are made through a management cluster, and there is none; ask an administrator to register one.',
    ]
  }
  if (infrastructureOfPlan(plan) !== undefined) return []
  return [
    `Management cluster ${management.name} is registered for the infrastructure ${quote(management.options.infrastructure ?? '')}; capi@1 knows ${INFRASTRUCTURES.join(' and ')}. Ask its administrator.`,
  ]
}

/** What kubeadm's bootstrap provider still makes a configuration for. */
const OLDEST = 'v1.22.0'

const tooOld = (version: string): string =>
  `Label kube_tag is ${version}; Cluster API makes no clusters of Kubernetes before ${OLDEST}: give a newer version.`

/** A label that can't be read is reported as one; so this is about absence, and about what can't be made. */
const versionFaults = ({ cluster, template }: PlannedCluster): string[] => {
  const isOwn = (cluster.magnum.labels.kube_tag ?? '') !== ''
  const ofTemplate = template?.spec.labels.kube_tag ?? ''
  const version = firstVersion({ cluster, template })
  if (version !== undefined) return isOlderVersion(version, OLDEST) ? [tooOld(version)] : []
  if (isOwn) return []
  return [
    ofTemplate !== ''
      ? `Label kube_tag of the cluster template is ${quote(ofTemplate)}; give a Kubernetes version such as v1.36.0.`
      : 'Nothing says which Kubernetes version the cluster is to run; give the cluster template the label kube_tag, for example kube_tag=v1.36.0.',
  ]
}

const tlsFaults = ({ cluster: { magnum } }: PlannedCluster): string[] =>
  magnum.tlsDisabled
    ? [
        '"tls_disabled" of the cluster template is true; clusters of capi@1 always use TLS: choose a template without it.',
      ]
    : []

/** Why a cluster can't be made: one sentence for each fault. */
export const newClusterFaults = (plan: PlannedCluster): string[] => {
  const { cluster, template, nodeGroups } = plan
  const infrastructure = infrastructureOfPlan(plan)
  const ownLabels = cluster.magnum.labels
  return [
    ...infrastructureFaults(plan),
    ...tlsFaults(plan),
    ...versionFaults(plan),
    ...labelFaults(ownLabels, 'the cluster', infrastructure),
    ...(template === null ? [] : templateFaults(template.spec, infrastructure)),
    ...(infrastructure === 'openstack' ? networkFaults(plan) : []),
    ...overlapFaults(plan),
    ...apiServerFaults(clusterValues(ownLabels)),
    ...portFaults(template?.spec.apiserverPort ?? null, clusterValues(ownLabels)),
    ...nodeGroups.flatMap((group) => newGroupFaults(plan, group, (key) => group.labels[key] !== ownLabels[key])),
    ...sizeFaults(plan, nodeGroups),
  ]
}
