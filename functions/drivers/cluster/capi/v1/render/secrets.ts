import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { AuthorityType } from '../../../../../core/values/certificate-authority.ts'
import type { Secret } from '../../../../../core/values/secret.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import type { CloudCredential } from '../../../../contract/cluster-driver.ts'
import { CLUSTER_LABEL, CLUSTER_NAME_LABEL, type ClusterNames, cloudSecretName } from '../model/names.ts'
import { compact } from './compact.ts'
import { CLOUD_NAME } from './openstack.ts'

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
