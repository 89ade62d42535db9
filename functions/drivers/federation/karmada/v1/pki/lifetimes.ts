import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { DAY_MS } from '../../../../../x509/certificate.ts'
import { LEAVES, type Pair, type Pki } from './pki.schema.ts'

/** Leaves are renewed by a flow of its own when this part of their life is left. */
const RENEW_LEFT = 1 / 3

/** An update renews those that have less than this left, since it replaces pods anyway. */
const STALE_LEFT = 1 / 2

const SECOND_MS = 1000

const lifeOf = (certificate: X509Certificate): number =>
  certificate.validToDate.getTime() - certificate.validFromDate.getTime()

/** By text, since `checkHost` knows no wildcard as a name to look for; addresses by value, since IPv6 has many spellings. */
const hasName = (certificate: X509Certificate, name: string): boolean =>
  isIP(name) === 0
    ? (certificate.subjectAltName ?? '').split(', ').includes(`DNS:${name}`)
    : certificate.checkIP(name) !== undefined

/** What a certificate is to be. */
export type Desired = {
  /** For whom it must be. */
  names: readonly string[]
  now: Date
  /** In a rotation, when that began: what was issued before goes. */
  issuedSince?: Date | undefined
}

/** When it was issued, to the second: ours are valid from a day before. */
const issuedSeconds = (certificate: X509Certificate): number =>
  Math.floor((certificate.validFromDate.getTime() + DAY_MS) / SECOND_MS)

const isTooOld = (certificate: X509Certificate, issuedSince: Date | undefined): boolean =>
  issuedSince !== undefined && issuedSeconds(certificate) < Math.floor(issuedSince.getTime() / SECOND_MS)

/** True when a certificate is to be issued anew: half its life is over, it is older than is wished, or it lacks a name. */
export const isStale = ({ certificate: pem }: Pair, { names, now, issuedSince }: Desired): boolean => {
  const certificate = new X509Certificate(pem)
  const left = certificate.validToDate.getTime() - now.getTime()
  return (
    left < lifeOf(certificate) * STALE_LEFT ||
    isTooOld(certificate, issuedSince) ||
    names.some((name) => !hasName(certificate, name))
  )
}

/** ISO-8601 UTC: when the rotation is to begin, a third of a life before the first leaf ends. */
export const renewAfterOf = ({ leaves }: Pki): string => {
  const times = LEAVES.map((leaf) => {
    const certificate = new X509Certificate(leaves[leaf].certificate)
    return certificate.validToDate.getTime() - lifeOf(certificate) * RENEW_LEFT
  })
  return new Date(Math.min(...times)).toISOString()
}
