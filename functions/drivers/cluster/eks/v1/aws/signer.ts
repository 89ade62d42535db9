import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials, AwsService } from '../../../../contract/aws-access.ts'

type Data = string | ArrayBuffer | ArrayBufferView

const bytesOf = (data: Data): Uint8Array => {
  if (typeof data === 'string') return Buffer.from(data)
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}

/** SHA-256 of Node as the signer wants it: with a secret it is an HMAC. */
class Sha256 {
  #hash: Hash | Hmac
  readonly #begin: () => Hash | Hmac

  constructor(secret?: Data) {
    this.#begin = () => (secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret)))
    this.#hash = this.#begin()
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data))
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    this.#hash = this.#begin()
  }
}

/** Signs requests to one service in one Region (Signature Version 4), without asking anybody. */
export const signerOf = (credentials: AwsCredentials, service: AwsService, region: string): SignatureV4 =>
  new SignatureV4({
    service,
    region,
    sha256: Sha256,
    credentials: {
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey.reveal(),
      ...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken.reveal() }),
    },
  })
