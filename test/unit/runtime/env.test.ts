import { describe, expect, it } from 'vitest'
import { keysEnv, readEnv, tableEnv } from '../../../functions/runtime/env.ts'
import { EnvironmentInvalid } from '../../../functions/runtime/errors.ts'

const good = {
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'fedplane',
  STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-',
  PUBLIC_URL: 'https://fedplane.example.org',
}

describe('readEnv', () => {
  it('takes what it knows and fills in defaults', () => {
    expect(readEnv(tableEnv, { ...good, PATH: '/bin' })).toEqual({
      ...good,
      FEDERATION_DRIVERS: '',
      CLUSTER_DRIVERS: '',
      CLUSTERS_PER_PROJECT: '20',
      FEDERATIONS_PER_PROJECT: '100',
      TEMPLATES_PER_PROJECT: '100',
      OPERATIONS_PER_PROJECT: '100',
      EVENT_STREAM_URL: '',
      GRANTS_PER_PROJECT: '100',
      REQUESTS_PER_PROJECT: '0',
      REQUESTS_PER_PRINCIPAL: '0',
      KEYSTONE_URL: '',
      AUTH_URL: '',
      AWS_CALLERS: '',
    })
  })

  it('names every setting at fault and shows no value', () => {
    const read = (): unknown =>
      readEnv(keysEnv, {
        AWS_REGION: good.AWS_REGION,
        PUBLIC_URL: good.PUBLIC_URL,
        STATE_MACHINE_ARN_PREFIX: 'nonsense',
      })
    expect(read).toThrow(EnvironmentInvalid)
    expect(read).toThrow(/KMS_KEY_ARN, STATE_MACHINE_ARN_PREFIX, TABLE_NAME/)
    expect(read).not.toThrow(/nonsense/)
  })
})
