import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { eksToken } from '../../../functions/drivers/cluster/eks/v1/aws/signer.ts'
import { AwsStandIn } from '../../support/aws/aws-stand-in.ts'
import { signatureOf } from '../../support/aws/sigv4.ts'

const AT = new Date('2026-11-28T12:34:56.789Z')
const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
}

const urlIn = (token: Secret): URL => {
  const [, encoded = ''] = /^k8s-aws-v1\.([A-Za-z0-9_-]+)$/.exec(token.reveal()) ?? []
  return new URL(Buffer.from(encoded, 'base64url').toString())
}

describe('signatureOf, which the tests check tokens with', () => {
  it('signs as the example in the specification of Signature Version 4 (get-vanilla of its test suite)', () => {
    const example = {
      method: 'GET',
      path: '/',
      query: [],
      headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' },
      body: '',
      date: '20150830T123600Z',
      scope: '20150830/us-east-1/service/aws4_request',
    }
    expect(signatureOf(example, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')).toBe(
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    )
  })
})

describe('eksToken', () => {
  it('is the presigned URL of GetCallerIdentity at the Regional STS, for a minute, bound to the cluster', async () => {
    const url = urlIn(await eksToken(CREDENTIALS, { name: 'shop', region: 'eu-central-1' }, AT))
    expect(`${url.origin}${url.pathname}`).toBe('https://sts.eu-central-1.amazonaws.com/')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20261128/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20261128T123456Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('has the signature that STS reckons, for this cluster and no other', async () => {
    const aws = new AwsStandIn()
    aws.now = () => AT
    const token = await eksToken(
      aws.issue('arn:aws:iam::111122223333:user/ana'),
      { name: 'shop', region: 'eu-west-3' },
      AT,
    )
    expect(aws.identify(urlIn(token), 'shop')).toEqual({ arn: 'arn:aws:iam::111122223333:user/ana' })
    expect(aws.identify(urlIn(token), 'other')).toEqual({ code: 'InvalidSignatureException' })
    aws.now = () => new Date(AT.getTime() + 16 * 60_000)
    expect(aws.identify(urlIn(token), 'shop')).toEqual({ code: 'InvalidSignatureException' })
  })

  it.each([
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('asks the STS of the partition of %s', async (region, host) => {
    expect(urlIn(await eksToken(CREDENTIALS, { name: 'shop', region }, AT)).host).toBe(host)
  })
})
