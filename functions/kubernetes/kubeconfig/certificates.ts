import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { Secret } from '../../core/values/secret.ts'
import type { ConnectionCredential } from '../client.ts'
import { KubeconfigRejected, type Section, textField } from './fields.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g
const KEY_LABELS = new Set(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'])
/** What `kubectl config view` prints in place of secrets without `--raw`. */
const REDACTED = /^(?:REDACTED|DATA\+OMITTED)$/

/** A certificate and the PEM block that it was read from. */
export type Certificate = { pem: string; x509: X509Certificate }

type Fault = 'invalid_base64' | 'invalid_pem'

const bad = (fault: Fault, field: string, why: string): KubeconfigRejected =>
  new KubeconfigRejected(fault, `${field} of the kubeconfig ${why}.`, { fields: [field] })

/** True for the placeholder of a kubeconfig that was printed without `--raw`. */
export const isRedacted = (text: string): boolean => REDACTED.test(text.trim())

/**
 * Text of a `…-data` field: base64 (may be wrapped over lines) of PEM; undefined when absent.
 *
 * @throws KubeconfigRejected `invalid_base64`, `invalid_pem`, `invalid_type`
 */
export const pemField = (section: Section, key: string): string | undefined => {
  const field = `${section.path}.${key}`
  const text = textField(section, key)
  if (text === undefined) return
  if (isRedacted(text))
    throw bad(
      'invalid_pem',
      field,
      'is left out; print the kubeconfig with `kubectl config view --flatten --minify --raw`',
    )
  if (text.includes('-----BEGIN')) throw bad('invalid_base64', field, 'is PEM itself; encode it once in base64')
  const base64 = text.replace(/\s+/g, '')
  if (!BASE64.test(base64)) throw bad('invalid_base64', field, 'is not base64 (A-Z, a-z, 0-9, + and /, padded with =)')
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  if (pem.includes('-----BEGIN')) return pem
  const isTwice = Buffer.from(pem, 'base64').toString('latin1').includes('-----BEGIN')
  throw bad(
    'invalid_pem',
    field,
    isTwice ? 'is encoded twice in base64; encode the PEM once' : 'holds no PEM block (-----BEGIN …)',
  )
}

const blocksOf = (pem: string): { label: string; block: string }[] =>
  [...pem.matchAll(BLOCK)].map(({ 0: block, 1: label = '' }) => ({ label, block: block.replaceAll('\r', '') }))

/** The certificates in a PEM text, at least one. @throws KubeconfigRejected `invalid_pem` */
export const certificatesOf = (pem: string, field: string): Certificate[] => {
  const blocks = blocksOf(pem).filter(({ label }) => label === 'CERTIFICATE')
  if (blocks.length === 0) throw bad('invalid_pem', field, 'holds no certificate (-----BEGIN CERTIFICATE-----)')
  return blocks.map(({ block }, index) => {
    try {
      return { pem: block, x509: new X509Certificate(block) }
    } catch {
      throw bad('invalid_pem', field, `holds a certificate that can't be read (number ${index + 1})`)
    }
  })
}

/** The private key in a PEM text, whatever blocks stand around it (cases/PE-05). @throws KubeconfigRejected `invalid_pem` */
const privateKeyOf = (pem: string, field: string): { pem: string; key: KeyObject } => {
  const blocks = blocksOf(pem)
  const found = blocks.find(({ label }) => KEY_LABELS.has(label))
  if (pem.includes('ENCRYPTED'))
    throw bad('invalid_pem', field, 'is encrypted with a passphrase; store the key without one (openssl pkey)')
  if (found === undefined) throw bad('invalid_pem', field, 'holds no private key (PKCS#8, PKCS#1 or SEC1)')
  try {
    return { pem: found.block, key: createPrivateKey(found.block) }
  } catch {
    throw bad('invalid_pem', field, "holds a private key that can't be read")
  }
}

/** Blocks as one text, each ending in a line break. */
export const joinPem = (certificates: readonly Certificate[]): string =>
  certificates.map(({ pem }) => `${pem}\n`).join('')

/** Clocks of clusters and of fedplane may differ by this much: 5 minutes in milliseconds (cases/PE-07, JN-19). */
const SLACK_MS = 5 * 60_000
/** A credential that ends sooner than this is taken with a warning: 14 days in milliseconds. */
const WARN_MS = 14 * 24 * 3_600_000

/** From when until when a credential is good; null where it says nothing. */
export type Validity = { notBefore: Date | null; notAfter: Date | null }

/** A credential and how long it is good. */
export type DatedCredential = { credential: ConnectionCredential; validity: Validity }

/** Time in ISO-8601 UTC without fractions, as certificates have it. */
export const isoSeconds = (date: Date): string => date.toISOString().replace(/\.\d{3}Z$/, 'Z')

/** @throws KubeconfigRejected `credential_expired`, `credential_not_yet_valid` with the date */
export const checkValidity = ({ notBefore, notAfter }: Validity, field: string, now: Date): void => {
  if (notAfter !== null && notAfter.getTime() < now.getTime() - SLACK_MS) {
    const at = isoSeconds(notAfter)
    throw new KubeconfigRejected(
      'credential_expired',
      `${field} of the kubeconfig expired at ${at}; send a newer one.`,
      {
        fields: [field],
        facts: { notAfter: at },
      },
    )
  }
  if (notBefore !== null && notBefore.getTime() > now.getTime() + SLACK_MS) {
    const at = isoSeconds(notBefore)
    throw new KubeconfigRejected(
      'credential_not_yet_valid',
      `${field} of the kubeconfig is valid from ${at} only; check the clocks.`,
      {
        fields: [field],
        facts: { notBefore: at },
      },
    )
  }
}

/** A warning for a credential that ends within 14 days. */
export const expiryWarnings = ({ notAfter }: Validity, now: Date): string[] =>
  notAfter !== null && notAfter.getTime() < now.getTime() + WARN_MS
    ? [`The credential expires at ${isoSeconds(notAfter)}; send a newer one before that (PATCH replace /kubeconfig).`]
    : []

const CERTIFICATE = 'client-certificate-data'
const KEY = 'client-key-data'

/**
 * `client-certificate-data` and `client-key-data` of a user entry; undefined when there is neither. The whole chain is kept, the
 * key's own certificate first.
 *
 * @throws KubeconfigRejected `incomplete_credential`, `key_mismatch`, `credential_expired`, …
 */
export const clientCertificate = (section: Section, now: Date): DatedCredential | undefined => {
  const certificatePem = pemField(section, CERTIFICATE)
  const keyPem = pemField(section, KEY)
  if (certificatePem === undefined && keyPem === undefined) return
  if (certificatePem === undefined) throw incomplete(section, CERTIFICATE, KEY)
  if (keyPem === undefined) throw incomplete(section, KEY, CERTIFICATE)
  const field = `${section.path}.${CERTIFICATE}`
  const certificates = certificatesOf(certificatePem, field)
  const { pem, key } = privateKeyOf(keyPem, `${section.path}.${KEY}`)
  const leaf = certificates.find(({ x509 }) => x509.checkPrivateKey(key))
  if (leaf === undefined) {
    throw new KubeconfigRejected(
      'key_mismatch',
      `${section.path}.${KEY} is not the key of ${field}; send the pair that belongs together.`,
      {
        fields: [`${section.path}.${KEY}`, field],
      },
    )
  }
  const chain = [leaf, ...certificates.filter((certificate) => certificate !== leaf)]
  const validity = validityOf(chain)
  checkValidity(validity, field, now)
  return {
    credential: { kind: 'client-certificate', certificatePem: joinPem(chain), keyPem: new Secret(`${pem}\n`) },
    validity,
  }
}

const incomplete = ({ path }: Section, missing: string, given: string): KubeconfigRejected =>
  new KubeconfigRejected(
    'incomplete_credential',
    `${path} of the kubeconfig has ${given} without ${missing}; send both.`,
    {
      fields: [`${path}.${missing}`],
    },
  )

/** A chain is good while all of it is (cases/PE-09). */
const validityOf = (chain: readonly Certificate[]): Validity => ({
  notBefore: new Date(Math.max(...chain.map(({ x509 }) => x509.validFromDate.getTime()))),
  notAfter: new Date(Math.min(...chain.map(({ x509 }) => x509.validToDate.getTime()))),
})
