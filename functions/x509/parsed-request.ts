import 'reflect-metadata'
import { type Extension, ExtensionsAttribute, Pkcs10CertificateRequest } from '@peculiar/x509'
import { SigningRequestRejected } from './errors.ts'

/** Text of one attribute of a name, under the ASN.1 type that it was written as. */
export type AttributeText = { utf8String?: string; printableString?: string; ia5String?: string }

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
