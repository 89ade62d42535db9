import type { AuthorityType, Cluster } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { TablePorts } from '../../core/ports.ts'
import { quote } from '../../core/values/wording.ts'
import type { AuthorityKey } from '../../store/credential.store.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { linksOf } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

const TYPES = new Map<string, AuthorityType>([
  ['kubernetes', 'kubernetes'],
  ['etcd', 'etcd'],
  ['front-proxy', 'front-proxy'],
  ['front_proxy', 'front-proxy'],
])

/** The authority that `ca_cert_type` names: absent and unknown ones are the API server's (magnum-rest.md 7.1). */
export const authorityTypeOf = (text: string | undefined): AuthorityType => TYPES.get(text ?? '') ?? 'kubernetes'

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

type Request = ApiRequest<{ ca_cert_type?: string | undefined }>

/** Why the kubeconfig names no authority, and what clients do then. */
const noneGiven = ({ name, endpoint }: Cluster): InvalidRequest => {
  const isPublic = endpoint?.tlsVerify !== false
  const why = isPublic
    ? 'clients verify its API server with the public authorities of their operating system, so none has to be fetched'
    : 'it was registered with "insecure_skip_tls_verify", so its API server is not verified. PATCH the cluster with a kubeconfig that has "certificate-authority-data"'
  return new InvalidRequest(`The kubeconfig of cluster ${quote(name)} has no certificate authority: ${why}.`)
}

/** A registration that has not found its cluster yet. */
const notYetKnown = ({ name, status }: Cluster): InvalidRequest =>
  new InvalidRequest(
    `The certificate authority of cluster ${quote(name)} is not known yet: it is asked for while the cluster is registered, and that is ${status}.`,
  )

/** Of a cluster whose authority we do not hold. @throws InvalidRequest */
const foreignAuthority = (cluster: Cluster, type: AuthorityType): string => {
  const { name, driver, endpoint } = cluster
  if (type !== 'kubernetes') {
    throw new InvalidRequest(
      `fedplane does not know the ${type} certificate authority of cluster ${quote(name)}: its driver ${driver} holds none. Only "ca_cert_type=kubernetes" is known, that of its API server.`,
    )
  }
  if (endpoint === null) throw notYetKnown(cluster)
  const pem = endpoint.caPem
  if (pem === null) throw noneGiven(cluster)
  return pem
}

const heldAuthority = async ({ ports }: Request, cluster: Cluster, type: AuthorityType): Promise<string> => {
  const pem = await ports.stores.certificates.certificate(authorityKey(cluster, type))
  if (pem === undefined) throw authorityMissing(cluster, type)
  return pem
}

/**
 * `GET /v1/certificates/{cluster}` → 200: the certificate of the cluster's authority (magnum-rest.md 7.1), also of clusters whose
 * authority is somebody else's. Never beyond the own project.
 */
export const showAuthority = async (request: Request): Promise<ApiResponse> => {
  const { ports, query, baseUrl } = request
  const cluster = await findCluster(request)
  const { id } = cluster
  requireTls(cluster)
  const type = authorityTypeOf(query.ca_cert_type)
  const pem = holdsAuthority(ports, cluster)
    ? await heldAuthority(request, cluster, type)
    : foreignAuthority(cluster, type)
  return { status: 200, body: { cluster_uuid: id, pem, links: linksOf(baseUrl, 'certificates', id) } }
}
