import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { REGION } from './emulator.ts'

export type SessionCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string }

/** SHA-256 as the SDK's signer takes it. */
class Sha256 {
  readonly #hash: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array)
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data)
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

/** A request to an API that IAM authorises, signed as the SDKs of AWS sign it. With a body it is a POST. */
export const signedFetch = async (url: string, credentials: SessionCredentials, body?: object): Promise<Response> => {
  const { protocol, hostname, host, port, pathname } = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const signer = new SignatureV4({ service: 'execute-api', region: REGION, credentials, sha256: Sha256 })
  const signed = await signer.sign({
    method: text === undefined ? 'GET' : 'POST',
    protocol,
    hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    path: pathname,
    query: {},
    headers: { host, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
    body: text,
  })
  const { host: _, ...headers } = signed.headers
  return fetch(url, { method: signed.method, headers, ...(text === undefined ? {} : { body: text }) })
}
