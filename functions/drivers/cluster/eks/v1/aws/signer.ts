import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { Secret } from '../../../../../core/values/secret.ts'
import type { AwsCredentials, AwsService } from '../../../../contract/aws-access.ts'
import { hostOfService } from '../fields.ts'

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

/** Seconds in `X-Amz-Expires`: what EKS's own tools write. */
const PRESIGN_SECONDS = 60

/** How long EKS takes a token after the time in its `X-Amz-Date`, milliseconds. */
export const TOKEN_LIFE_MS = 15 * 60_000

const PREFIX = 'k8s-aws-v1.'

/**
 * A bearer token for an EKS cluster: the URL of a presigned call `sts:GetCallerIdentity`, bound to the cluster by a signed header. EKS makes
 * that call and sees who signed it. Nobody is asked to make one.
 */
export const eksToken = async (
  credentials: AwsCredentials,
  { name, region }: { name: string; region: string },
  signingDate: Date,
): Promise<Secret> => {
  // Never the endpoint of a setting: EKS takes URLs of STS itself only.
  const host = hostOfService('sts', region)
  const request = {
    method: 'GET',
    protocol: 'https:',
    hostname: host,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host, 'x-k8s-aws-id': name },
  }
  const presigned = await signerOf(credentials, 'sts', region).presign(request, {
    signingDate,
    expiresIn: PRESIGN_SECONDS,
  })
  const query = Object.entries(presigned.query ?? {}).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  )
  const url = `https://${host}/?${query.join('&')}`
  return new Secret(PREFIX + Buffer.from(url).toString('base64url'))
}
