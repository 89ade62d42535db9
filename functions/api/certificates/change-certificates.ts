import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { rotateClusterAuthority } from '../../core/cluster/rotate-cluster.ts'
import { InvalidRequest, ObjectNotVisible } from '../../core/errors.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import type { Json } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { CSR_LENGTH_MAX } from '../../x509/pem-request.ts'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import { linksOf } from '../representation.ts'
import type { ApiResponse, BodySchema, KeysRequest } from '../route.ts'
import { authorityKey, authorityMissing, authorityTypeOf, holdsAuthority, requireTls } from './read-authority.ts'

const CSR_RULE = `must be a certificate signing request, PEM text of 1 to ${CSR_LENGTH_MAX} characters`

/** What `POST /v1/certificates` takes (magnum-rest.md 7.1). A body without a cluster is answered as one that is not there. */
const signCertificateSchema = z.object({
  cluster_uuid: optional(textField()),
  csr: z.string({ error: CSR_RULE }).min(1, { error: CSR_RULE }).max(CSR_LENGTH_MAX, { error: CSR_RULE }),
  /** Null is shown as such, and means the default. */
  ca_cert_type: textField().nullish(),
})
type SignCertificate = z.output<typeof signCertificateSchema>

const OTHERS: OtherAttributes = { ignored: [], readOnly: ['pem', 'links'] }

export const signCertificateBody: BodySchema<SignCertificate> = {
  schema: signCertificateSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body: Json | undefined) => parseAttributes(signCertificateSchema, body, OTHERS),
}

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

/** Written down before it is handed out. */
const audit = ({ ports, principal }: Request, cluster: Cluster, type: string, pem: string): Promise<void> => {
  const { subject, serialNumber, validTo } = new X509Certificate(pem)
  const { projectId, id: clusterId } = cluster
  const { userId } = principal
  ports.log.info('certificate signed', { projectId, clusterId, userId, type, subject, serialNumber, validTo })
  const expiresAt = new Date(validTo).toISOString()
  return ports.stores.commit([
    // Nothing of the cluster changes, so neither does its revision.
    ownerEvent(
      ports,
      'cluster',
      { ...cluster, revision: cluster.revision - 1 },
      {
        action: 'update',
        outcome: 'success',
        notify: false,
        reason: 'CertificateSigned',
        message: `User ${userId} was given a certificate (${type}, ${serialNumber}) of ${cluster.name} that is valid until ${expiresAt}.`,
      },
    ),
  ])
}

/** `POST /v1/certificates` → 201: signs a certificate signing request (magnum-rest.md 7.1). Of it only the event is stored. */
export const signCertificate = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, baseUrl } = request
  const { csr, ca_cert_type } = body
  const cluster = await namedCluster(request)
  const { id } = cluster
  requireTls(cluster)
  requireSigner(request, cluster)
  const type = authorityTypeOf(ca_cert_type ?? undefined)
  // With the library that reads and signs, which no other request needs (decision 0011).
  const { readSigningRequest } = await import('../../x509/signing-request.ts')
  const { signRequest } = await import('../../x509/sign-request.ts')
  const wanted = await readSigningRequest(csr)
  const authority = await ports.stores.certificates.open(authorityKey(cluster, type))
  if (authority === undefined) throw authorityMissing(cluster, type)
  const pem = await signRequest(wanted, authority, ports.clock.now())
  await audit(request, cluster, type, pem)
  const links = linksOf(baseUrl, 'certificates', id)
  return {
    status: 201,
    body: { cluster_uuid: id, csr, pem, links, ...(ca_cert_type === undefined ? {} : { ca_cert_type }) },
  }
}

/**
 * `PATCH /v1/certificates/{cluster}` → 202 (magnum-rest.md 7.1). The present authorities stay in use until the cluster has the new
 * ones; certificates of the old ones are worth nothing afterwards.
 */
export const rotateAuthority = async (request: KeysRequest): Promise<ApiResponse> => {
  const findCluster = async () => {
    const cluster = await findIntactCluster(request)
    requireTls(cluster)
    return cluster
  }
  const { id: uuid } = await rotateClusterAuthority(request.ports, { findCluster })
  return { status: 202, body: { uuid } }
}
