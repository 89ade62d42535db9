import type { AuthorityType, Cluster } from '../../../../../core/cluster/cluster.ts'
import { looksLikeUuid } from '../../../../../core/values/ids.ts'
import type { Secret } from '../../../../../core/values/secret.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import type { CloudCredential } from '../../../../contract/cluster-driver.ts'
import type { ClusterValues } from '../model/labels.ts'
import { CLUSTER_LABEL, CLUSTER_NAME_LABEL, type ClusterNames, cloudSecretName } from '../model/names.ts'
import { CLOUD_NAME } from './infrastructures.ts'
import { compact, desiredGroup, extraNetworks, type RenderPlan } from './plan.ts'

/** Certificate, PEM, and private key of each authority. */
type Authorities = Readonly<Record<AuthorityType, { certificatePem: string; privateKey: Secret }>>

/** What Cluster API calls them. `-sa`, the key pair of service accounts, is left to it. */
const SUFFIXES: Readonly<Record<AuthorityType, string>> = { kubernetes: 'ca', etcd: 'etcd', 'front-proxy': 'proxy' }

/** Where Secrets of a cluster are, and whose they are. */
type SecretPlace = { cluster: Pick<Cluster, 'id'>; names: ClusterNames }

/** A Secret of a cluster in its management cluster; `texts` by key. */
export const secretOf = (
  { cluster, names }: SecretPlace,
  { name, type, texts }: { name: string; type: string; texts: Readonly<Record<string, string>> },
): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: names.namespace,
    labels: {
      'app.kubernetes.io/managed-by': 'fedplane',
      [CLUSTER_LABEL]: cluster.id,
      [CLUSTER_NAME_LABEL]: names.cluster,
    },
  },
  type,
  data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

/** `<cluster>-ca`, `-etcd`, `-proxy`. Written before the Cluster: Cluster API makes its own of what it does not find. */
export const caSecrets = (
  cluster: Pick<Cluster, 'id'>,
  names: ClusterNames,
  authorities: Authorities,
): Manifest<'Secret'>[] =>
  Object.entries(SUFFIXES).map(([type, suffix]) => {
    const { certificatePem, privateKey } = authorities[type as AuthorityType]
    return secretOf(
      { cluster, names },
      {
        name: `${names.cluster}-${suffix}`,
        type: 'cluster.x-k8s.io/secret',
        texts: { 'tls.crt': certificatePem, 'tls.key': privateKey.reveal() },
      },
    )
  })

/** `clouds.yaml` of an application credential. JSON is YAML. */
const cloudsYaml = (credential: CloudCredential): string =>
  JSON.stringify({
    clouds: {
      [CLOUD_NAME]: compact({
        auth_type: 'v3applicationcredential',
        identity_api_version: 3,
        region_name: credential.region,
        auth: {
          auth_url: credential.authUrl,
          application_credential_id: credential.applicationCredentialId,
          application_credential_secret: credential.applicationCredentialSecret,
        },
      }),
    },
  })

/** `<cluster>-cloud-config`, which CAPO signs in with. `cacert` only where the cloud has an authority of its own: CAPO's image trusts the public ones. */
export const cloudSecret = (
  cluster: Pick<Cluster, 'id'>,
  names: ClusterNames,
  credential: CloudCredential,
): Manifest<'Secret'> =>
  secretOf(
    { cluster, names },
    {
      name: cloudSecretName(names),
      type: 'Opaque',
      texts: {
        'clouds.yaml': cloudsYaml(credential),
        ...(credential.caPem === null ? {} : { cacert: credential.caPem }),
      },
    },
  )

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
