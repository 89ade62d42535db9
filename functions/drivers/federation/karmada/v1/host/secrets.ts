import { writeKubeconfig } from '../../../../../kubernetes/kubeconfig/write-kubeconfig.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { API_SERVER, COMPONENTS, type Component } from '../model/names.ts'
import { type Authority, encryptionConfiguration, type Leaf, type Pki } from '../pki/pki.schema.ts'
import { type HostPlan, metadataOf, serviceHost } from './plan.ts'

export const ETCD_CERT = 'etcd-cert'
export const ETCD_CLIENT_CERT = 'etcd-client-cert'
export const API_SERVER_CERT = 'karmada-apiserver-cert'
export const FRONT_PROXY_CERT = 'front-proxy-client-cert'
export const SERVICE_ACCOUNT_KEYS = 'service-account-key-pair'
export const AGGREGATED_CERT = 'karmada-aggregated-apiserver-cert'
export const WEBHOOK_CERT = 'karmada-webhook-cert'
export const ENCRYPTION_KEY = 'karmada-apiserver-encryption'

/** File of kube-apiserver's EncryptionConfiguration. */
export const ENCRYPTION_FILE = 'encryption.yaml'

/** File of a kubeconfig Secret, as upstream calls it. */
export const KUBECONFIG_FILE = 'karmada.config'

/** Secret with the kubeconfig of a component. */
export const configSecret = (component: Component): string => `${component}-config`

/** Names of all of them. */
export const SECRET_NAMES: readonly string[] = [
  ETCD_CERT,
  ETCD_CLIENT_CERT,
  API_SERVER_CERT,
  FRONT_PROXY_CERT,
  SERVICE_ACCOUNT_KEYS,
  AGGREGATED_CERT,
  WEBHOOK_CERT,
  ENCRYPTION_KEY,
  ...COMPONENTS.map(configSecret),
]

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const secret = (plan: HostPlan, name: string, files: Readonly<Record<string, string>>): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadataOf(plan, name),
  type: 'Opaque',
  data: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, base64(text)])),
})

/** Certificate and key of one leaf, with the certificate of its authority: never the authority's key. */
const pairFiles = (pki: Pki, leaf: Leaf, authority: Authority): Record<string, string> => ({
  'ca.crt': pki.authorities[authority].certificate,
  'tls.crt': pki.leaves[leaf].certificate,
  'tls.key': pki.leaves[leaf].key,
})

/** A kubeconfig for the Service's name inside of the host. */
const kubeconfigOf = (plan: HostPlan, pki: Pki, component: Component): string => {
  const { certificate: certificatePem, key: keyPem } = pki.leaves[component]
  return writeKubeconfig({
    name: API_SERVER,
    user: component,
    server: `https://${serviceHost(plan, API_SERVER)}:${plan.properties.apiPort}`,
    caPem: pki.authorities.karmada.certificate,
    credential: { certificatePem, keyPem },
  })
}

/** One for each purpose, mounted only where it is needed; no key of an authority is in any of them. */
export const secretManifests = (plan: HostPlan, pki: Pki): Manifest<'Secret'>[] => [
  secret(plan, ETCD_CERT, pairFiles(pki, 'etcd-server', 'etcd')),
  secret(plan, ETCD_CLIENT_CERT, pairFiles(pki, 'etcd-client', 'etcd')),
  secret(plan, API_SERVER_CERT, pairFiles(pki, 'apiserver', 'karmada')),
  secret(plan, FRONT_PROXY_CERT, pairFiles(pki, 'front-proxy-client', 'front-proxy')),
  secret(plan, SERVICE_ACCOUNT_KEYS, { 'sa.pub': pki.serviceAccount.publicKey, 'sa.key': pki.serviceAccount.key }),
  secret(plan, AGGREGATED_CERT, pairFiles(pki, 'aggregated-apiserver-server', 'karmada')),
  secret(plan, WEBHOOK_CERT, pairFiles(pki, 'webhook-server', 'karmada')),
  ...(pki.encryption === undefined
    ? []
    : [secret(plan, ENCRYPTION_KEY, { [ENCRYPTION_FILE]: encryptionConfiguration(pki.encryption) })]),
  ...COMPONENTS.map((component) =>
    secret(plan, configSecret(component), {
      [KUBECONFIG_FILE]: kubeconfigOf(plan, pki, component),
      'ca.crt': pki.authorities.karmada.certificate,
    }),
  ),
]
