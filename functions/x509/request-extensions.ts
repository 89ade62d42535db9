import { bitsOf, childrenOf, contentOf, type Der, oidOf, onlyElement, TAG } from './der.ts'
import { SigningRequestRejected } from './errors.ts'

const ID = {
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  extendedKeyUsage: '2.5.29.37',
} as const

/** What a certificate takes over from a request; everything else in it is dropped (magnum-rest.md 7.1). Absent: not asked for. */
export type RequestedExtensions = {
  /** By bit (RFC 5280 4.2.1.3), first one first, without those of an authority. */
  keyUsage?: readonly boolean[] | undefined
  /** Object identifiers. */
  extendedKeyUsage?: readonly string[] | undefined
  /** GeneralNames, DER. */
  subjectAltName?: Uint8Array | undefined
  subjectKeyIdentifier?: Uint8Array | undefined
}

/** Bits keyCertSign and cRLSign. */
const AUTHORITY_BITS: readonly number[] = [5, 6]
/** Who has this usage from an authority speaks for it about revocation. */
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9'

const rejected = (extension: string, why: string): SigningRequestRejected =>
  new SigningRequestRejected(`"csr" asks for the extension ${extension} ${why}. Correct it or leave it out.`)

const keyUsageOf = (value: Der): readonly boolean[] | undefined => {
  const bits = bitsOf(value)
  if (bits.length > 9) throw rejected('keyUsage', 'with bits that it does not have')
  const allowed = bits.map((bit, index) => bit && !AUTHORITY_BITS.includes(index))
  return allowed.includes(true) ? allowed : undefined
}

const extendedKeyUsageOf = (value: Der): readonly string[] | undefined => {
  const usages = childrenOf(value, TAG.sequence).map(oidOf)
  const allowed = [...new Set(usages)].filter((usage) => usage !== OCSP_SIGNING)
  return allowed.length === 0 ? undefined : allowed
}

const isAscii = ({ content }: Der): boolean =>
  content.length > 0 && content.every((octet) => octet > 0x20 && octet < 0x7f)

const isUri = (name: Der): boolean => isAscii(name) && URL.canParse(Buffer.from(name.content).toString('latin1'))

/** Kinds of names by tag, each with what may be in it. Others mean nothing to Kubernetes. */
const NAMES: Readonly<Record<number, { kind: string; isGood: (name: Der) => boolean }>> = {
  129: { kind: 'e-mail address', isGood: isAscii },
  130: { kind: 'DNS name', isGood: isAscii },
  134: { kind: 'URI', isGood: isUri },
  135: { kind: 'IP address', isGood: ({ content: { length } }) => length === 4 || length === 16 },
}

const subjectAltNameOf = (value: Der): Uint8Array => {
  const names = childrenOf(value, TAG.sequence)
  if (names.length === 0) throw rejected('subjectAltName', 'without a name')
  for (const name of names) {
    const type = NAMES[name.tag]
    if (type === undefined)
      throw rejected('subjectAltName', 'with a name that is no DNS name, IP address, URI or e-mail address')
    if (!type.isGood(name)) throw rejected('subjectAltName', `with a damaged ${type.kind}`)
  }
  return value.bytes
}

const subjectKeyIdentifierOf = (value: Der): Uint8Array => {
  const identifier = contentOf(value, TAG.octetString)
  if (identifier.length >= 1 && identifier.length <= 64) return identifier
  throw rejected('subjectKeyIdentifier', 'that is not 1 to 64 bytes long')
}

const extensionsIn = (attributes: Der): Der[] => {
  const requests = childrenOf(attributes, TAG.context0)
    .map((attribute) => childrenOf(attribute, TAG.sequence))
    .filter(([type]) => oidOf(type) === ID.extensionRequest)
  return requests.flatMap(([, values]) =>
    childrenOf(values, TAG.set).flatMap((extensions) => childrenOf(extensions, TAG.sequence)),
  )
}

/** Extension ::= SEQUENCE { OID, critical BOOLEAN DEFAULT FALSE, OCTET STRING } */
const identifierAndValue = (extension: Der): [string, Uint8Array] => {
  const [identifier, ...rest] = childrenOf(extension, TAG.sequence)
  if (rest.length > 1) contentOf(rest.shift(), TAG.boolean)
  const oid = oidOf(identifier)
  if (rest.length > 1) throw rejected(oid, 'with more than a value')
  return [oid, contentOf(rest[0], TAG.octetString)]
}

/**
 * Reads what a request asks for.
 *
 * @param attributes `[0]` of the request
 * @throws SigningRequestRejected for an extension that is damaged or there twice
 */
export const requestedExtensions = (attributes: Der): RequestedExtensions => {
  const found = extensionsIn(attributes).map(identifierAndValue)
  const values = new Map(found)
  if (values.size < found.length) throw new SigningRequestRejected('"csr" asks for an extension twice. Give it once.')
  const read = <T>(oid: string, reader: (value: Der) => T): T | undefined => {
    const value = values.get(oid)
    return value === undefined ? undefined : reader(onlyElement(value))
  }
  return {
    keyUsage: read(ID.keyUsage, keyUsageOf),
    extendedKeyUsage: read(ID.extendedKeyUsage, extendedKeyUsageOf),
    subjectAltName: read(ID.subjectAltName, subjectAltNameOf),
    subjectKeyIdentifier: read(ID.subjectKeyIdentifier, subjectKeyIdentifierOf),
  }
}
