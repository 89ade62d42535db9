import { AppError } from '../core/values/app-error.ts'

/** The text is no certificate signing request that may be signed; the message says why and what to send. */
export class SigningRequestRejected extends AppError {
  override readonly name = 'SigningRequestRejected'
  readonly kind = 'invalid'
}

/** The authority may sign nothing any more. */
export class AuthorityExpired extends AppError {
  override readonly name = 'AuthorityExpired'
  readonly kind = 'invalid'
}

/** Longest text of a signing request, characters. RSA 4096 with a hundred names needs half of it. */
export const CSR_LENGTH_MAX = 16_384

const BEGIN = /-----BEGIN ([A-Z0-9 ]*)-----/g
const REQUEST = /-----BEGIN (NEW CERTIFICATE REQUEST|CERTIFICATE REQUEST)-----([A-Za-z0-9+/=\s]*)-----END \1-----/
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

const SEND = 'Send one PEM block "-----BEGIN CERTIFICATE REQUEST-----" to "-----END CERTIFICATE REQUEST-----"'

const wrongLabels = (labels: readonly string[]): string => {
  if (labels.length === 0) return `"csr" holds no PEM block. ${SEND}.`
  if (labels.some((label) => label.endsWith('PRIVATE KEY')))
    return `"csr" holds a private key, which must stay with you. ${SEND}, and use a new key.`
  if (labels.length > 1)
    return `"csr" holds ${labels.length} PEM blocks. ${SEND}; for more certificates send more requests.`
  if (labels[0] === 'CERTIFICATE')
    return `"csr" holds a certificate in place of a certificate signing request. ${SEND}.`
  return `"csr" holds no certificate signing request. ${SEND}.`
}

/**
 * The DER in a PEM text, whatever text stands around the block (`openssl req -text`).
 *
 * @throws SigningRequestRejected when there is not exactly one block, or it is no signing request
 */
export const derOfPem = (pem: string): Uint8Array<ArrayBuffer> => {
  if (pem.length > CSR_LENGTH_MAX) {
    throw new SigningRequestRejected(`"csr" has ${pem.length} characters; at most ${CSR_LENGTH_MAX} are allowed.`)
  }
  const labels = [...pem.matchAll(BEGIN)].map(([, label = '']) => label)
  if (labels.length !== 1 || !labels[0]?.endsWith('CERTIFICATE REQUEST')) {
    throw new SigningRequestRejected(wrongLabels(labels))
  }
  const base64 = REQUEST.exec(pem)?.[2]?.replace(/\s/g, '') ?? ''
  if (!BASE64.test(base64))
    throw new SigningRequestRejected(`"csr" holds a damaged PEM block: no end, or no base64. ${SEND}.`)
  return Buffer.from(base64, 'base64')
}
