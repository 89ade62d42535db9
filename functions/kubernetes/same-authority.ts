import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import type { ClusterEndpoint } from '../domain/cluster.ts'

type Tls = Pick<ClusterEndpoint, 'server' | 'caPem' | 'tlsServerName' | 'tlsVerify'>

/** Certificates of a bundle; undefined when one of them can't be read. */
const certificatesIn = (pem: string): X509Certificate[] | undefined => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block))
  } catch {
    return undefined
  }
}

const isSame = (one: X509Certificate, other: X509Certificate): boolean => one.fingerprint256 === other.fingerprint256

/** A CA certificate that the key of the other one signed, as in a rotation that is meant to be followed. */
const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

/** True when whoever the one bundle trusts, the other does too, or signed it: one CA that stands apart may be anybody's. */
const isVouchedFor = (found: readonly X509Certificate[], known: readonly X509Certificate[]): boolean =>
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

/**
 * True when the API server at the one endpoint proves itself by the CA of the other, or by one that this CA signed. With CAs that everybody trusts
 * it is the name that counts: anybody has a certificate for a name of their own. Where TLS is not verified nothing is proved.
 */
export const isSameAuthority = (known: Tls, found: Tls): boolean => {
  if (!known.tlsVerify || !found.tlsVerify) return false
  if (known.caPem === null || found.caPem === null) {
    return known.caPem === found.caPem && nameOf(known) === nameOf(found)
  }
  const [before, after] = [certificatesIn(known.caPem), certificatesIn(found.caPem)]
  if (before === undefined || after === undefined || !isVouchedFor(after, before)) return false
  return nameOf(known) === nameOf(found) || !before.some(isPublic)
}
