import { byNumber, listInWords } from '../../../../../core/values/wording.ts'
import type { ClusterValues } from '../labels.ts'

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
export const portFaults = (port: number | null, { keystone_auth_enabled: hasKeystone }: ClusterValues): string[] =>
  port !== null && (TAKEN.includes(port) || (hasKeystone && port === KEYSTONE_PORT))
    ? [
        `"apiserver_port" of the cluster template is ${port}, where something else listens on masters; give another one.`,
      ]
    : []

/** What keeps API servers from starting: nobody would see why, since Cluster API sees only that they do not answer. */
export const apiServerFaults = (values: ClusterValues): string[] => [...oidcFaults(values), ...admissionFaults(values)]
