import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ClusterValues } from '../model/labels.ts'
import { type KubeadmFile, machineConfig, nodeRegistration } from './kubeadm-machine.ts'
import { apiServerPortOf, compact, type DesiredGroup, disksOf, ETCD_MOUNT, type Sparse } from './plan.ts'

type Argument = { name: string; value: string }

const POLICY_FOLDER = '/etc/kubernetes/audit-policy'
const POLICY = `${POLICY_FOLDER}/policy.yaml`
const AUDIT_LOGS = '/var/log/kubernetes/audit'
const WEBHOOK_FOLDER = '/etc/kubernetes/keystone-auth'
const WEBHOOK = `${WEBHOOK_FOLDER}/webhook.yaml`

/** Never without it: a kubelet may else change what is not its own. */
const ADMISSION_ALWAYS = 'NodeRestriction'

const argument = (name: string, value: string | number | undefined): Argument[] =>
  value === undefined ? [] : [{ name, value: String(value) }]

const joined = (items: readonly string[] | undefined): string | undefined => items?.join(',')

const oidc = (values: ClusterValues): Argument[] => [
  ...argument('oidc-issuer-url', values.oidc_issuer_url),
  ...argument('oidc-client-id', values.oidc_client_id),
  ...argument('oidc-username-claim', values.oidc_username_claim),
  ...argument('oidc-username-prefix', values.oidc_username_prefix),
  ...argument('oidc-groups-claim', values.oidc_groups_claim),
  ...argument('oidc-groups-prefix', values.oidc_groups_prefix),
]

const audit = (values: ClusterValues): Argument[] =>
  values.audit_log_enabled
    ? [
        ...argument('audit-policy-file', POLICY),
        ...argument('audit-log-path', `${AUDIT_LOGS}/audit.log`),
        ...argument('audit-log-maxage', values.audit_log_maxage ?? values.audit_log_max_age),
        ...argument('audit-log-maxbackup', values.audit_log_maxbackup ?? values.audit_log_max_backup),
        ...argument('audit-log-maxsize', values.audit_log_maxsize ?? values.audit_log_max_size),
      ]
    : []

const admission = ({ admission_control_list: plugins }: ClusterValues): string | undefined =>
  plugins && [ADMISSION_ALWAYS, ...plugins.filter((plugin) => plugin !== ADMISSION_ALWAYS)].join(',')

const volumes = ({ audit_log_enabled: isAudited, keystone_auth_enabled: hasKeystone }: ClusterValues): Sparse =>
  [
    isAudited && {
      name: 'audit-policy',
      hostPath: POLICY_FOLDER,
      mountPath: POLICY_FOLDER,
      readOnly: true,
      pathType: 'Directory',
    },
    isAudited && { name: 'audit-logs', hostPath: AUDIT_LOGS, mountPath: AUDIT_LOGS, pathType: 'DirectoryOrCreate' },
    hasKeystone && {
      name: 'keystone-auth',
      hostPath: WEBHOOK_FOLDER,
      mountPath: WEBHOOK_FOLDER,
      readOnly: true,
      pathType: 'Directory',
    },
  ].filter((volume) => volume !== false)

/** `clusterConfiguration.apiServer`; kubeadm's defaults for what no label says. */
const apiServerConfig = (values: ClusterValues): Sparse => ({
  certSANs: values.api_server_cert_sans,
  extraArgs: [
    ...argument('enable-admission-plugins', admission(values)),
    ...argument('tls-cipher-suites', joined(values.api_server_tls_cipher_suites)),
    ...oidc(values),
    ...audit(values),
    ...argument('authentication-token-webhook-config-file', values.keystone_auth_enabled ? WEBHOOK : undefined),
  ],
  extraVolumes: volumes(values),
})

/** Who did what, without the bodies: they hold Secrets. */
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

/**
 * Where k8s-keystone-auth listens on each control plane node; until it does, only certificates and tokens of Kubernetes are known. It must show the
 * API server's own certificate, which the cluster's CA signed and only the node's root can read: whatever else gets hold of the port, such
 * as a pod in the host's network, could say of any token that it is an administrator's.
 */
const KEYSTONE_WEBHOOK = `apiVersion: v1
kind: Config
clusters:
- name: webhook
  cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    tls-server-name: kubernetes
    server: https://127.0.0.1:8443/webhook
users:
- name: webhook
contexts:
- name: webhook
  context: {cluster: webhook, user: webhook}
current-context: webhook
`

/** The files that its arguments name. */
const apiServerFiles = (values: ClusterValues): KubeadmFile[] => [
  ...(values.audit_log_enabled ? [{ path: POLICY, content: AUDIT_POLICY }] : []),
  ...(values.keystone_auth_enabled ? [{ path: WEBHOOK, content: KEYSTONE_WEBHOOK }] : []),
]

/** `kubeadmConfigSpec` of the control plane. */
export const controlPlaneConfig = (desired: DesiredGroup): JsonObject => {
  const { values, plan } = desired
  const registration = nodeRegistration(desired)
  const hasEtcdDisk = disksOf(desired).some(({ name }) => name === 'etcd')
  const isOpenStack = plan.infrastructure === 'openstack'
  // Cluster API tells kubeadm nothing of the port (its issue 1970), and CAPO's load balancer goes to the one that it listens on itself.
  const localAPIEndpoint = isOpenStack ? { bindPort: apiServerPortOf(plan) } : undefined
  return compact({
    clusterConfiguration: {
      imageRepository: values.container_infra_prefix,
      apiServer: apiServerConfig(values),
      controllerManager: isOpenStack ? { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } : undefined,
      etcd: hasEtcdDisk ? { local: { dataDir: `${ETCD_MOUNT}/etcd` } } : undefined,
    },
    initConfiguration: { nodeRegistration: registration, localAPIEndpoint },
    joinConfiguration: { nodeRegistration: registration, controlPlane: { localAPIEndpoint } },
    ...machineConfig(desired, apiServerFiles(values)),
  })
}

/** `spec` of the KubeadmConfigs of a worker group. */
export const workerConfig = (desired: DesiredGroup): JsonObject =>
  compact({
    joinConfiguration: { nodeRegistration: nodeRegistration(desired) },
    ...machineConfig(desired, []),
  })
