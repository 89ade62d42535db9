import 'reflect-metadata'
import { isIP } from 'node:net'
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  ExtensionsAttribute,
  type GeneralName,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
} from '@peculiar/x509'
import { SigningRequestRejected } from './pem-request.ts'

/** Text of one attribute of a name, under the ASN.1 type that it was written as. */
type AttributeText = { utf8String?: string; printableString?: string; ia5String?: string }

/** One attribute of a name: its type is an object identifier. */
export type NameAttribute = { type: string; text: AttributeText }

/** A signing request, with what the library shows to subclasses only. */
export class ParsedRequest extends Pkcs10CertificateRequest {
  /** The subject's parts with their attributes, in order. Values of other types are there without these texts. */
  get subjectAttributes(): NameAttribute[][] {
    const parts = Array.from(this.asn.certificationRequestInfo.subject)
    return parts.map((part) => Array.from(part, ({ type, value }): NameAttribute => ({ type, text: value })))
  }

  /** The library reads BER too; who writes DER gets these very bytes (RFC 2986 4.2). */
  get isDer(): boolean {
    const written = new Pkcs10CertificateRequest(this.asn).rawData
    return Buffer.from(written).equals(Buffer.from(this.rawData))
  }

  /** `extensions` of the library does not see a second list of them, and is empty when it is read again after an error. */
  get allExtensions(): Extension[] {
    return this.attributes.flatMap((attribute) => (attribute instanceof ExtensionsAttribute ? attribute.items : []))
  }
}

const damaged = (cause?: unknown): SigningRequestRejected =>
  new SigningRequestRejected(
    '"csr" is damaged: it is not DER of a PKCS #10 certificate signing request. Make it anew, for example with `openssl req -new`.',
    { cause },
  )

/** As WebCrypto describes algorithms; the library's own type rests on DOM's. Unknown ones have an object identifier as name. */
export type WebAlgorithm = { name: string; namedCurve?: string; hash?: { name: string } }

/** What is in a request. Nothing of it is checked yet. */
export type RequestParts = {
  request: ParsedRequest
  key: { algorithm: WebAlgorithm; spki: ArrayBuffer }
  signatureAlgorithm: WebAlgorithm
  extensions: readonly Extension[]
}

const partsOf = (request: ParsedRequest): RequestParts => {
  const { algorithm, rawData: spki } = request.publicKey
  return {
    request,
    key: { algorithm, spki },
    signatureAlgorithm: request.signatureAlgorithm as WebAlgorithm,
    extensions: request.allExtensions,
  }
}

/**
 * Reads all parts at once: the library reads each as it is asked for, and throws errors of many kinds then.
 *
 * @throws SigningRequestRejected
 */
export const parseRequest = (bytes: Uint8Array<ArrayBuffer>): RequestParts => {
  let parts: RequestParts
  let isDer: boolean
  try {
    parts = partsOf(new ParsedRequest(bytes))
    isDer = parts.request.isDer
  } catch (cause) {
    throw damaged(cause)
  }
  if (isDer) return parts
  throw damaged()
}

/** What a certificate takes over from a request; everything else in it is dropped (magnum-rest.md 7.1). Absent: not asked for. */
export type RequestedExtensions = {
  /** Without those of an authority. */
  keyUsage?: KeyUsageFlags | undefined
  /** Object identifiers. */
  extendedKeyUsage?: string[] | undefined
  subjectAltName?: JsonGeneralName[] | undefined
  /** Hexadecimal. */
  subjectKeyIdentifier?: string | undefined
}

/** Usages that may be asked for: not to sign certificates or revocation lists. */
const USAGES =
  KeyUsageFlags.digitalSignature |
  KeyUsageFlags.nonRepudiation |
  KeyUsageFlags.keyEncipherment |
  KeyUsageFlags.dataEncipherment |
  KeyUsageFlags.keyAgreement |
  KeyUsageFlags.encipherOnly |
  KeyUsageFlags.decipherOnly

const OID = /^[0-2](?:\.\d+)+$/

const rejected = (extension: string, why: string): SigningRequestRejected =>
  new SigningRequestRejected(`"csr" asks for the extension ${extension} ${why}. Correct it or leave it out.`)

const keyUsageOf = ({ usages }: KeyUsagesExtension): KeyUsageFlags | undefined => {
  const allowed = usages & USAGES
  return allowed === 0 ? undefined : allowed
}

const extendedKeyUsageOf = ({ usages }: ExtendedKeyUsageExtension): string[] | undefined => {
  const asked = [...new Set(usages.map(String))]
  // The library takes numbers and texts for identifiers.
  if (!asked.every((usage) => OID.test(usage))) throw rejected('extendedKeyUsage', 'with a value that is no usage')
  // Who has this usage from an authority speaks for it about revocation.
  const allowed = asked.filter((usage) => usage !== ExtendedKeyUsage.ocspSigning)
  return allowed.length === 0 ? undefined : allowed
}

const isAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

/** Kinds of names, each with what may be in it. Others mean nothing to Kubernetes. */
const NAMES: Readonly<Record<string, { kind: string; isGood: (value: string) => boolean }>> = {
  email: { kind: 'e-mail address', isGood: isAscii },
  dns: { kind: 'DNS name', isGood: isAscii },
  url: { kind: 'URI', isGood: (value) => isAscii(value) && URL.canParse(value) },
  ip: { kind: 'IP address', isGood: (value) => isIP(value) !== 0 },
}

const otherName = (): SigningRequestRejected =>
  rejected('subjectAltName', 'with a name that is no DNS name, IP address, URI or e-mail address')

const checkedName = ({ type, value }: GeneralName): JsonGeneralName => {
  const allowed = NAMES[type]
  if (allowed === undefined) throw otherName()
  if (!allowed.isGood(value)) throw rejected('subjectAltName', `with a damaged ${allowed.kind}`)
  return { type, value }
}

const subjectAltNameOf = ({ names, value }: SubjectAlternativeNameExtension): JsonGeneralName[] => {
  const checked = names.items.map(checkedName)
  // The library leaves out, without a word, what it does not know.
  const written = new SubjectAlternativeNameExtension(checked).value
  if (!Buffer.from(written).equals(Buffer.from(value))) throw otherName()
  if (checked.length === 0) throw rejected('subjectAltName', 'without a name')
  return checked
}

const subjectKeyIdentifierOf = ({ keyId }: SubjectKeyIdentifierExtension): string => {
  // Two digits each.
  if (keyId.length >= 2 && keyId.length <= 128) return keyId
  throw rejected('subjectKeyIdentifier', 'that is not 1 to 64 bytes long')
}

/**
 * Reads what a request asks for.
 *
 * @throws SigningRequestRejected for an extension that is damaged or there twice
 */
export const requestedExtensions = (extensions: readonly Extension[]): RequestedExtensions => {
  if (new Set(extensions.map(({ type }) => type)).size < extensions.length) {
    throw new SigningRequestRejected('"csr" asks for an extension twice. Give it once.')
  }
  const read = <E extends Extension, T>(kind: new (raw: ArrayBuffer) => E, reader: (extension: E) => T) => {
    const found = extensions.find((extension): extension is E => extension instanceof kind)
    return found === undefined ? undefined : reader(found)
  }
  return {
    keyUsage: read(KeyUsagesExtension, keyUsageOf),
    extendedKeyUsage: read(ExtendedKeyUsageExtension, extendedKeyUsageOf),
    subjectAltName: read(SubjectAlternativeNameExtension, subjectAltNameOf),
    subjectKeyIdentifier: read(SubjectKeyIdentifierExtension, subjectKeyIdentifierOf),
  }
}
