import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type Section, textField } from './fields.ts'
import { KubeconfigRejected } from './kubeconfig-rejected.ts'

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
export const privateKeyOf = (pem: string, field: string): { pem: string; key: KeyObject } => {
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
