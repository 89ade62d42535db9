import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { AGGREGATED_API_SERVER, AGGREGATED_API_SERVER_PORT, API_SERVER, API_SERVER_PORT } from '../model/names.ts'
import { FRONT_PROXY_CLIENT } from '../pki/identities.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { etcdServers } from './etcd.ts'
import { anyAddress, type HostPlan, karmadaImage, kubeImage } from './plan.ts'
import { CONFIG_PATH, deploymentOf, KUBECONFIG_PATH, pkiPath } from './pod.ts'
import {
  AGGREGATED_CERT,
  API_SERVER_CERT,
  configSecret,
  ENCRYPTION_FILE,
  ENCRYPTION_KEY,
  ETCD_CLIENT_CERT,
  FRONT_PROXY_CERT,
  SERVICE_ACCOUNT_KEYS,
} from './secrets.ts'

const TLS_MIN = '--tls-min-version=VersionTLS13'

/** Addresses that Services inside of the control plane get. Nothing answers there: they only need the family of the host's own. */
const serviceRange = ({ isIpv6 }: HostPlan): string => (isIpv6 ? 'fd00:10:96::/112' : '10.96.0.0/12')

const serviceAccountIssuer = ({ properties }: HostPlan): string =>
  `https://kubernetes.default.svc.${properties.clusterDomain}`

const etcdFlags = (plan: HostPlan): string[] => [
  `--etcd-servers=${etcdServers(plan)}`,
  `--etcd-cafile=${pkiPath(ETCD_CLIENT_CERT)}/ca.crt`,
  `--etcd-certfile=${pkiPath(ETCD_CLIENT_CERT)}/tls.crt`,
  `--etcd-keyfile=${pkiPath(ETCD_CLIENT_CERT)}/tls.key`,
]

const tlsFlags = (secret: string): string[] => [
  `--tls-cert-file=${pkiPath(secret)}/tls.crt`,
  `--tls-private-key-file=${pkiPath(secret)}/tls.key`,
  TLS_MIN,
]

const mount = (secret: string) => ({ secret, path: pkiPath(secret) })

const apiServerCommand = (plan: HostPlan, { encryption }: Pki): string[] => [
  'kube-apiserver',
  '--allow-privileged=true',
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--disable-admission-plugins=StorageObjectInUseProtection,ServiceAccount',
  `--bind-address=${anyAddress(plan)}`,
  `--secure-port=${API_SERVER_PORT}`,
  ...etcdFlags(plan),
  ...tlsFlags(API_SERVER_CERT),
  `--client-ca-file=${pkiPath(API_SERVER_CERT)}/ca.crt`,
  `--service-account-issuer=${serviceAccountIssuer(plan)}`,
  `--service-account-key-file=${pkiPath(SERVICE_ACCOUNT_KEYS)}/sa.pub`,
  `--service-account-signing-key-file=${pkiPath(SERVICE_ACCOUNT_KEYS)}/sa.key`,
  `--service-cluster-ip-range=${serviceRange(plan)}`,
  `--proxy-client-cert-file=${pkiPath(FRONT_PROXY_CERT)}/tls.crt`,
  `--proxy-client-key-file=${pkiPath(FRONT_PROXY_CERT)}/tls.key`,
  `--requestheader-client-ca-file=${pkiPath(FRONT_PROXY_CERT)}/ca.crt`,
  `--requestheader-allowed-names=${FRONT_PROXY_CLIENT}`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  ...(encryption === undefined ? [] : [`--encryption-provider-config=${pkiPath(ENCRYPTION_KEY)}/${ENCRYPTION_FILE}`]),
]

/** The stock kube-apiserver, which knows nothing of nodes (federation-control-planes.md 1.6). */
export const apiServerManifest = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: API_SERVER,
    image: kubeImage(plan.properties, 'kube-apiserver'),
    command: apiServerCommand(plan, pki),
    ports: [{ name: 'https', port: API_SERVER_PORT }],
    secrets: [
      API_SERVER_CERT,
      ETCD_CLIENT_CERT,
      FRONT_PROXY_CERT,
      SERVICE_ACCOUNT_KEYS,
      ...(pki.encryption === undefined ? [] : [ENCRYPTION_KEY]),
    ].map(mount),
    ready: { path: '/readyz', port: API_SERVER_PORT, scheme: 'HTTPS' },
    alive: { path: '/livez', port: API_SERVER_PORT, scheme: 'HTTPS' },
    aliveDelaySeconds: 30,
    requests: { cpu: '100m', memory: '320Mi' },
    needsBindService: true,
  })

/** Serves `clusters.cluster.karmada.io`, from the same etcd. */
export const aggregatedApiServerManifest = (plan: HostPlan, pki: Pki): Manifest<'Deployment'> =>
  deploymentOf(plan, pki, {
    component: AGGREGATED_API_SERVER,
    image: karmadaImage(plan.properties, AGGREGATED_API_SERVER),
    command: [
      `/bin/${AGGREGATED_API_SERVER}`,
      `--kubeconfig=${KUBECONFIG_PATH}`,
      `--authentication-kubeconfig=${KUBECONFIG_PATH}`,
      `--authorization-kubeconfig=${KUBECONFIG_PATH}`,
      `--bind-address=${anyAddress(plan)}`,
      `--secure-port=${AGGREGATED_API_SERVER_PORT}`,
      ...etcdFlags(plan),
      ...tlsFlags(AGGREGATED_CERT),
      '--audit-log-path=-',
      '--audit-log-maxage=0',
      '--audit-log-maxbackup=0',
    ],
    ports: [{ name: 'https', port: AGGREGATED_API_SERVER_PORT }],
    secrets: [
      { secret: configSecret(AGGREGATED_API_SERVER), path: CONFIG_PATH },
      mount(AGGREGATED_CERT),
      mount(ETCD_CLIENT_CERT),
    ],
    ready: { path: '/readyz', port: AGGREGATED_API_SERVER_PORT, scheme: 'HTTPS' },
    alive: { path: '/healthz', port: AGGREGATED_API_SERVER_PORT, scheme: 'HTTPS' },
    aliveDelaySeconds: 30,
    requests: { cpu: '25m', memory: '64Mi' },
  })
