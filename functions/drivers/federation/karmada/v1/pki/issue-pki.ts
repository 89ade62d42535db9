import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { Secret } from '../../../../../core/values/secret.ts'
import { DAY_MS } from '../../../../../x509/certificate.ts'
import { IDENTITIES, type Naming, serverNames } from './identities.ts'
import { AUTHORITIES, type Authority, LEAVES, type Leaf, type Pair, type Pki } from './pki.schema.ts'

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
type Desired = {
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

/** Common names as upstream has them, which its tools know. */
const AUTHORITY_NAMES: Readonly<Record<Authority, string>> = {
  karmada: 'karmada',
  etcd: 'etcd-ca',
  'front-proxy': 'front-proxy-ca',
}

export type Issuing = { naming: Naming; leafLifetimeSeconds: number; now: Date; issuedSince?: Date | undefined }

const issueAuthority = async (authority: Authority, now: Date): Promise<Pair> => {
  const { newAuthority } = await import('../../../../../x509/new-authority.ts')
  const { certificatePem, privateKey } = await newAuthority(AUTHORITY_NAMES[authority], now)
  return { certificate: certificatePem, key: privateKey.reveal() }
}

const issueLeaf = async (leaf: Leaf, authorities: Pki['authorities'], issuing: Issuing): Promise<Pair> => {
  const { authority, commonName, groups, usages } = IDENTITIES[leaf]
  const { certificate, key } = authorities[authority]
  const names = serverNames(issuing.naming)[leaf]
  const { issueCertificate } = await import('../../../../../x509/issue-certificate.ts')
  const made = await issueCertificate(
    {
      commonName,
      organizations: groups,
      usages,
      lifetimeSeconds: issuing.leafLifetimeSeconds,
      ...(names === undefined ? {} : { names }),
    },
    { certificatePem: certificate, privateKey: new Secret(key) },
    issuing.now,
  )
  return { certificate: made.certificatePem, key: made.privateKey.reveal() }
}

/** P-256, PEM: signs tokens with ES256. */
const serviceAccountKeys = (): Pki['serviceAccount'] => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const entries = async <K extends string>(keys: readonly K[], make: (key: K) => Promise<Pair>) =>
  Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await make(key)] as const))) as Record<K, Pair>

/** Authorities for ten years, all leaves, and the key of service accounts. */
const issueAll = async (issuing: Issuing): Promise<Pki> => {
  const authorities = await entries(AUTHORITIES, (authority) => issueAuthority(authority, issuing.now))
  return {
    authorities,
    leaves: await entries(LEAVES, (leaf) => issueLeaf(leaf, authorities, issuing)),
    serviceAccount: serviceAccountKeys(),
  }
}

/**
 * What a control plane needs: what is there and still good stays, so a second call answers `known` itself. Leaves are issued anew when they near
 * their end or lack a name; authorities and the key of service accounts never change.
 */
export const issuePki = async (known: Pki | undefined, issuing: Issuing): Promise<Pki> => {
  if (known === undefined) return issueAll(issuing)
  const wanted = serverNames(issuing.naming)
  const stale = LEAVES.filter((leaf) => isStale(known.leaves[leaf], { names: wanted[leaf] ?? [], ...issuing }))
  if (stale.length === 0) return known
  return {
    ...known,
    leaves: { ...known.leaves, ...(await entries(stale, (leaf) => issueLeaf(leaf, known.authorities, issuing))) },
  }
}
