import { X509Certificate } from 'node:crypto'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { InvalidRequest, ObjectNotVisible } from '../../core/errors.ts'
import { quote } from '../../core/values/wording.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import { linksOf } from '../representation.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { authorityTypeOf } from './authority-type.ts'
import type { SignCertificate } from './certificate.schema.ts'
import { authorityKey, authorityMissing, holdsAuthority, requireTls } from './held-authority.ts'

type Request = KeysRequest<unknown, SignCertificate>

/**
 * The cluster that the body names. Without a name 404 (magnum-rest.md 13.5), an unknown one 400 (11, report 27).
 *
 * @throws ObjectNotVisible, InvalidRequest, NameAmbiguous
 */
const namedCluster = async (request: Request): Promise<Cluster> => {
  const ident = request.body.cluster_uuid
  if (ident === undefined) {
    throw new ObjectNotVisible('The request names no cluster: give the id or name of one in "cluster_uuid".')
  }
  try {
    return await findIntactCluster({ ...request, params: { cluster: ident } })
  } catch (error) {
    if (!(error instanceof ObjectNotVisible)) throw error
    throw new InvalidRequest(`"cluster_uuid" names no cluster of this project: ${error.message}`, { cause: error })
  }
}

/** To a certificate of a cluster that was registered by its kubeconfig, or whose driver holds no authority. */
const OWN_WAYS =
  'Use the kubeconfig that the cluster was registered with, or its own CertificateSigningRequest API (kubectl certificate approve).'

/** @throws InvalidRequest naming what to do instead */
const requireSigner = ({ ports }: Request, cluster: Cluster): void => {
  if (holdsAuthority(ports, cluster)) return
  const { registration } = ports.drivers.cluster.resolve(cluster.driver)
  throw new InvalidRequest(
    `fedplane does not hold the certificate authority of cluster ${quote(cluster.name)} (driver ${cluster.driver}), so it can't sign for it. ${registration?.advice.certificate ?? OWN_WAYS}`,
  )
}

const audit = ({ ports, principal }: Request, cluster: Cluster, type: string, pem: string): void => {
  const { subject, serialNumber, validTo } = new X509Certificate(pem)
  const { projectId, id: clusterId } = cluster
  const { userId } = principal
  ports.log.info('certificate signed', { projectId, clusterId, userId, type, subject, serialNumber, validTo })
}

/** `POST /v1/certificates` → 201: signs a certificate signing request (magnum-rest.md 7.1). Nothing of it is stored. */
export const signCertificate = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, baseUrl } = request
  const { csr, ca_cert_type } = body
  const cluster = await namedCluster(request)
  const { id } = cluster
  requireTls(cluster)
  requireSigner(request, cluster)
  const type = authorityTypeOf(ca_cert_type)
  // With the library that reads and signs, which no other request needs (decision 0011).
  const { readSigningRequest } = await import('../../x509/signing-request.ts')
  const { signRequest } = await import('../../x509/sign-request.ts')
  const wanted = await readSigningRequest(csr)
  const authority = await ports.stores.certificates.open(authorityKey(cluster, type))
  if (authority === undefined) throw authorityMissing(cluster, type)
  const pem = await signRequest(wanted, authority, ports.clock.now())
  audit(request, cluster, type, pem)
  const links = linksOf(baseUrl, 'certificates', id)
  return {
    status: 201,
    body: { cluster_uuid: id, csr, pem, links, ...(ca_cert_type === undefined ? {} : { ca_cert_type }) },
  }
}
