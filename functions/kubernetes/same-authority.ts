import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { ClusterEndpoint } from '../core/cluster/cluster.ts'

type Tls = Pick<ClusterEndpoint, 'server' | 'caPem' | 'tlsServerName' | 'tlsVerify'>

/** Certificates of a bundle; none when one of them can't be read. */
const certificatesIn = (pem: string): X509Certificate[] => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return []
  }
}

const isSame = (one: X509Certificate, other: X509Certificate): boolean => one.fingerprint256 === other.fingerprint256

/** A CA certificate that the key of the other one signed, as in a rotation that is meant to be followed. */
const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

/** True when whoever the one bundle trusts, the other does too, or signed it: one CA that stands apart may be anybody's. */
const isVouchedFor = (found: readonly X509Certificate[], known: readonly X509Certificate[]): boolean =>
  found.length > 0 &&
  found.every((certificate) =>
    known.some((authority) => isSame(certificate, authority) || isSignedBy(certificate, authority)),
  )

/** CAs that everybody trusts, read at their first use. */
let roots: readonly X509Certificate[] | undefined

/** True for a CA that issues to anybody: one that everybody trusts, or that one of these signed. A kubeconfig may well name it. */
const isPublic = (certificate: X509Certificate): boolean => {
  roots ??= rootCertificates.map((pem) => new X509Certificate(pem))
  return roots.some((root) => isSame(certificate, root) || isSignedBy(certificate, root))
}

const nameOf = ({ server, tlsServerName }: Tls): string => tlsServerName ?? new URL(server).hostname

const underAnotherName = (known: readonly X509Certificate[]): AuthorityProof =>
  known.some(isPublic) ? 'none' : 'elsewhere'

/** What the CAs of two endpoints say: the `same` server by its name, one `elsewhere` under the same private CA, or `none` of these. */
export type AuthorityProof = 'same' | 'elsewhere' | 'none'

/**
 * `same` when the API server at the one endpoint proves itself by the CA of the other, or by one that this CA signed, under the same name. Under another
 * name that is `elsewhere`: a company's CA issues to many, and looks the same as a cluster's own. With CAs that everybody trusts it is nothing at all,
 * and neither is anything where TLS is not verified.
 */
export const authorityProof = (known: Tls, found: Tls): AuthorityProof => {
  if (!known.tlsVerify || !found.tlsVerify) return 'none'
  const isNamedSame = nameOf(known) === nameOf(found)
  if (known.caPem === null || found.caPem === null) {
    return known.caPem === found.caPem && isNamedSame ? 'same' : 'none'
  }
  const before = certificatesIn(known.caPem)
  if (!isVouchedFor(certificatesIn(found.caPem), before)) return 'none'
  return isNamedSame ? 'same' : underAnotherName(before)
}
