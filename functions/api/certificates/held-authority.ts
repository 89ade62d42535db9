import type { Cluster } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { AuthorityType } from '../../core/values/certificate-authority.ts'
import { quote } from '../../core/values/wording.ts'
import type { AuthorityKey } from '../../store/certificate.store.ts'

/** True when fedplane holds the cluster's authorities. @throws DriverNotFound */
export const holdsAuthority = ({ drivers }: Pick<TablePorts, 'drivers'>, cluster: Cluster): boolean =>
  drivers.cluster.resolve(cluster.driver).capabilities.certificateAuthority

/** @throws InvalidRequest for a cluster that was made without TLS (magnum-rest.md 7.1) */
export const requireTls = ({ name, magnum }: Cluster): void => {
  if (!magnum.tlsDisabled) return
  throw new InvalidRequest(
    `Cluster ${quote(name)} has no certificates: its cluster template has "tls_disabled". Make a cluster from a template without it.`,
  )
}

/** The authority in use; one that a rotation prepares is not. */
export const authorityKey = ({ projectId, id }: Cluster, type: AuthorityType): AuthorityKey => ({
  projectId,
  clusterId: id,
  type,
  candidate: false,
})

/** For clusters that were made before fedplane held authorities. */
export const authorityMissing = ({ name }: Cluster, type: AuthorityType): InvalidRequest =>
  new InvalidRequest(
    `Cluster ${quote(name)} has no certificate authority of the type ${type}. PATCH /v1/certificates/{cluster} makes new authorities.`,
  )
