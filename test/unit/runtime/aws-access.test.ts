import { describe, expect, it } from 'vitest'
import { awsGrants } from '../../../functions/drivers/contract/aws-access.ts'
import { awsAccess } from '../../../functions/runtime/aws-access.ts'
import { awsEndpoints } from '../../../functions/runtime/env.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'

const none = { eks: undefined, sts: undefined }

describe('awsAccess', () => {
  it('gives what the provider finds, with secrets that do not show', async () => {
    const expiration = new Date('2026-11-28T13:00:00Z')
    const found = { accessKeyId: 'AKID', secretAccessKey: 'secret-key', sessionToken: 'session-token', expiration }
    const credentials = await awsAccess([], async () => found, none).credentials()
    expect(JSON.parse(JSON.stringify(credentials))).toEqual({
      accessKeyId: 'AKID',
      secretAccessKey: '***',
      sessionToken: '***',
      expiresAt: expiration.toISOString(),
    })
    expect(credentials.secretAccessKey.reveal()).toBe('secret-key')
  })

  it('has neither session nor end for long-lived keys', async () => {
    const credentials = await awsAccess(
      [],
      async () => ({ accessKeyId: 'A', secretAccessKey: 's' }),
      none,
    ).credentials()
    expect(Object.keys(credentials)).toEqual(['accessKeyId', 'secretAccessKey'])
  })

  it('says how to give the process credentials when it has none', async () => {
    const error = await rejectionOf(awsAccess([], () => Promise.reject(new Error('no file')), none).credentials())
    expect(error).toMatchObject({
      name: 'AwsCredentialsMissing',
      kind: 'conflict',
      retryable: false,
      message: expect.stringMatching(/AWS_ACCESS_KEY_ID.*AWS_PROFILE/),
    })
    expect(everythingOf(error)).toContain('no file')
  })
})

describe('awsGrants', () => {
  it('reads entries for one project and for all', () => {
    const role = 'arn:aws:iam::111122223333:role/team=a'
    expect(awsGrants(` blue=${role}, ${role},`)).toEqual([
      { projectId: 'blue', arn: role },
      { projectId: null, arn: role },
    ])
    expect(awsGrants('')).toEqual([])
  })

  it.each(['blue', 'blue=role/x', '*'])('refuses %s', (text) => {
    expect(() => awsGrants(text)).toThrow(/neither an ARN nor <project>=<ARN>/)
  })
})

describe('awsEndpoints', () => {
  it('reads the names of the SDKs; one for a service comes before the one for all', () => {
    expect(awsEndpoints({ AWS_ENDPOINT_URL: 'http://all', AWS_ENDPOINT_URL_EKS: 'http://eks' })).toEqual({
      eks: 'http://eks',
      sts: 'http://all',
    })
    expect(awsEndpoints({ AWS_ENDPOINT_URL: '' })).toEqual(none)
  })
})
