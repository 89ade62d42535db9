import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Connection } from '../../../functions/kubernetes/client.ts'
import { connectionTo, decodeConnection, encodeConnection } from '../../../functions/kubernetes/stored-connection.ts'
import { everythingOf, thrownBy } from '../../support/kubernetes/leaks.ts'
import { TEST_TOKEN, testConnection } from '../../support/kubernetes/test-connection.ts'

const revealed = ({ credential, ...rest }: Connection): object => ({
  ...rest,
  credential:
    credential.kind === 'token'
      ? { kind: credential.kind, token: credential.token.reveal() }
      : { ...credential, keyPem: credential.keyPem.reveal() },
})

describe('encodeConnection and decodeConnection', () => {
  const certificate: Connection['credential'] = {
    kind: 'client-certificate',
    certificatePem: 'cert',
    keyPem: new Secret('key'),
  }

  it.each<[string, Connection]>([
    ['a token', testConnection(1, 'ca')],
    [
      'a client certificate',
      testConnection(1, null, { tlsVerify: false, tlsServerName: 'x', credential: certificate }),
    ],
  ])('keep a connection with %s', (_what, connection) => {
    const stored = encodeConnection(connection)
    expect(String(stored)).toBe('***')
    expect(revealed(decodeConnection(stored))).toEqual(revealed(connection))
  })

  it.each<[string, (text: string) => string]>([
    ['another version', (text) => text.replace('"version":1', '"version":2')],
    ['http', (text) => text.replace('https:', 'http:')],
    ['a missing field', (text) => text.replace('"tlsVerify":true,', '')],
    ['an empty token', (text) => text.replace(TEST_TOKEN, '')],
    ['half a text', (text) => text.slice(0, -3)],
  ])('refuse %s without showing it', (_what, change) => {
    const stored = new Secret(change(encodeConnection(testConnection(1, 'ca')).reveal()))
    const error = thrownBy(() => decodeConnection(stored)) as Error
    expect(error.name).toBe('StoredConnectionInvalid')
    expect(everythingOf(error)).not.toContain(TEST_TOKEN)
  })
})

describe('connectionTo', () => {
  it('takes the endpoint as fedplane reaches it', () => {
    const { credential } = testConnection(1, null)
    const endpoint = {
      server: 'https://a',
      serverForPeers: 'https://b',
      caPem: 'ca',
      tlsServerName: null,
      tlsVerify: true,
    }
    expect(connectionTo(endpoint, credential)).toEqual({
      server: 'https://a',
      caPem: 'ca',
      tlsServerName: null,
      tlsVerify: true,
      credential,
    })
  })
})
