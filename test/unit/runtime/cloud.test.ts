import { describe, expect, it } from 'vitest'
import { cloudOfEnv } from '../../../functions/runtime/aws-ports.ts'
import { readEnv, workerEnv } from '../../../functions/runtime/env.ts'
import { localCloud } from '../../../local/cloud.ts'

const worker = (settings: Record<string, string> = {}) =>
  readEnv(workerEnv, {
    AWS_REGION: 'eu-central-1',
    TABLE_NAME: 'fedplane',
    STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-',
    KMS_KEY_ARN: 'arn:aws:kms:eu-central-1:111122223333:key/1',
    ...settings,
  })

describe('the cloud of an installation', () => {
  it('is none without a Keystone', () => {
    expect(cloudOfEnv(worker())).toBeUndefined()
    expect(localCloud(undefined)).toBeUndefined()
    expect(localCloud({})).toBeUndefined()
  })

  it.each(['https://keystone.example.org:5000', 'https://keystone.example.org:5000/v3/'])('is that of %s', (url) => {
    const plain = { authUrl: 'https://keystone.example.org:5000/v3', region: null, caPem: null }
    expect(cloudOfEnv(worker({ KEYSTONE_URL: url }))?.access).toEqual(plain)
    const keystone = { url, readCredential: () => Promise.reject(new Error('not asked for')) }
    expect(localCloud({ keystone })?.access).toEqual(plain)
    const more = { KEYSTONE_REGION: 'north', KEYSTONE_CA_PEM: 'pem' }
    const full = { ...plain, region: 'north', caPem: 'pem' }
    expect(cloudOfEnv(worker({ KEYSTONE_URL: url, ...more }))?.access).toEqual(full)
    expect(localCloud({ keystone: { ...keystone, region: 'north', caPem: 'pem' } })?.access).toEqual(full)
  })
})
