import { Secret } from '../../../../core/values/secret.ts'
import type { AwsCredentials } from '../../../contract/aws-access.ts'
import { hostOfService } from './aws/hosts.ts'
import { signerOf } from './aws/signer.ts'

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
