import { describe, expect, it } from 'vitest'
import { keysUrlOf } from '../../../functions/authorizer/oidc/key-set.ts'

const ISSUER = 'https://login.example.org/realms/a'

describe('keysUrlOf', () => {
  it('takes the keys that the issuer names, on another host too', () => {
    const jwks_uri = 'https://keys.example.com/a'
    expect(keysUrlOf(ISSUER, { issuer: ISSUER, jwks_uri, more: 1 })?.href).toBe(jwks_uri)
  })

  it.each([
    ['another issuer', { issuer: `${ISSUER}/`, jwks_uri: 'https://login.example.org/keys' }],
    ['keys without TLS', { issuer: ISSUER, jwks_uri: 'http://login.example.org/keys' }],
    ['keys on loopback', { issuer: ISSUER, jwks_uri: 'http://127.0.0.1:9001/keys' }],
    ['no keys', { issuer: ISSUER }],
    ['nothing', undefined],
  ])('takes no metadata with %s', (_, metadata) => {
    expect(keysUrlOf(ISSUER, metadata)).toBeUndefined()
  })
})
