import { generateKeyPairSync } from 'node:crypto'
import { Secret } from '../../../../../core/values/secret.ts'
import { IDENTITIES } from './identities.ts'
import { isStale } from './lifetimes.ts'
import { AUTHORITIES, type Authority, LEAVES, type Leaf, type Pair, type Pki } from './pki.schema.ts'
import { type Naming, serverNames } from './server-names.ts'

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
