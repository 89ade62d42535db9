import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { Connection, KubernetesClient } from '../../../../../kubernetes/client.ts'
import { NotKubernetes } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { connectionTo } from '../../../../../kubernetes/stored-connection.ts'
import type { ClusterContext, ReadAuthority } from '../../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { ManagementSite, Snapshot } from '../management/snapshot.ts'

/** Who fedplane is in the clusters that it makes. */
export const USER = 'fedplane'

/** Whatever a cluster's rules about roles say, its administrators are these. */
const GROUP = 'system:masters'

/** Seconds that a client certificate is good for: longer than a step of a flow, which makes its own, takes with all its retries. */
const LIFETIME_SECONDS = 900

/**
 * The cluster's API as an administrator, with a client certificate made for this use, of the authority that fedplane holds. Nothing of it is stored.
 *
 * @throws CredentialMissing before the cluster has an API, or without an authority
 */
export const connectionOf = async (cluster: Cluster, authority: ReadAuthority, now: Date): Promise<Connection> => {
  const { endpoint, name, id } = cluster
  if (endpoint === null) {
    throw new CredentialMissing(`Cluster ${name} (${id}) has no API server yet; try again when it is there.`)
  }
  const by = await authority('kubernetes')
  if (by === undefined) {
    throw new CredentialMissing(
      `fedplane holds no certificate authority of cluster ${name} (${id}), so it can't sign in there.`,
    )
  }
  const { issueCertificate } = await import('../../../../../x509/issue-certificate.ts')
  const { certificatePem, privateKey } = await issueCertificate(
    { commonName: USER, organizations: [GROUP], usages: ['client'], lifetimeSeconds: LIFETIME_SECONDS },
    by,
    now,
  )
  return connectionTo(endpoint, { kind: 'client-certificate', certificatePem, keyPem: privateKey })
}

/** Runs something with a client of the cluster's own API, and closes that. @throws errors of reaching it */
export const inCluster = async <T>(
  context: ClusterContext,
  use: (client: KubernetesClient) => Promise<T>,
): Promise<T> => {
  const { cluster, authority, connect, now } = context
  const client = connect(await connectionOf(cluster, authority, new Date(now())))
  try {
    return await use(client)
  } finally {
    client.close()
  }
}

/**
 * Who the cluster is: the uid of its `kube-system` namespace. API servers of the in-memory infrastructure give none; there the uid of the Cluster object stands for it.
 *
 * @throws NotKubernetes when there is none
 */
export const identityIn = async (
  client: KubernetesClient,
  { infrastructure }: Pick<ManagementSite, 'infrastructure'>,
  { cluster }: Snapshot,
): Promise<string> => {
  const found = await client.get(namespaces, 'kube-system')
  const uid = found?.metadata.uid || (infrastructure === 'dev' && found !== undefined ? cluster?.metadata.uid : '')
  if (uid) return uid
  throw new NotKubernetes(
    'The cluster has no kube-system namespace, so it has no identity; wait until its control plane is complete.',
  )
}
