import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { Connection } from '../../../../kubernetes/client.ts'
import { connectionTo } from '../../../../kubernetes/stored-connection.ts'
import type { ReadAuthority } from '../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../contract/errors.ts'

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
  const { issueCertificate } = await import('../../../../x509/issue-certificate.ts')
  const { certificatePem, privateKey } = await issueCertificate(
    { commonName: USER, organizations: [GROUP], usages: ['client'], lifetimeSeconds: LIFETIME_SECONDS },
    by,
    now,
  )
  return connectionTo(endpoint, { kind: 'client-certificate', certificatePem, keyPem: privateKey })
}
