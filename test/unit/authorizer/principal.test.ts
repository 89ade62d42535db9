import { describe, expect, it } from 'vitest'
import { principalOf } from '../../../functions/api/middleware.ts'
import { authorizerContextOf, type Identity, type Principal } from '../../../functions/core/values/identity.ts'

const ANA: Principal = { userId: 'ana', projectId: 'shop', roles: ['member'], source: 'keystone' }

/** As API Gateway carries it. */
const carried = (identity: Identity): unknown => ({
  authorizer: { lambda: JSON.parse(JSON.stringify(authorizerContextOf(identity))) },
})

describe('the way from the authorizer to a handler', () => {
  it.each([ANA, { ...ANA, roles: [] }, { ...ANA, userId: '"ana"\\ é 𝄞', projectId: '{}' }])(
    'carries a principal (case %#)',
    (principal) => {
      expect(principalOf(carried({ principal }))).toEqual(principal)
    },
  )

  it('has text only, which every kind of API carries', () => {
    const identities: Identity[] = [{ principal: ANA }, { reason: 'r' }, { unavailable: 'u' }]
    for (const identity of identities) {
      for (const value of Object.values(authorizerContextOf(identity))) expect(typeof value).toBe('string')
    }
  })

  it('carries why there is nobody', () => {
    expect(() => principalOf(carried({ reason: 'The token has expired.' }))).toThrow(
      expect.objectContaining({ name: 'Unauthenticated', message: 'The token has expired.' }),
    )
  })

  it('carries that it could not be found out', () => {
    expect(() => principalOf(carried({ unavailable: 'Try again later.' }))).toThrow(
      expect.objectContaining({ name: 'IdentityUnknown', kind: 'unavailable', message: 'Try again later.' }),
    )
  })

  it.each([
    [undefined],
    [{}],
    [{ authorizer: {} }],
    [{ authorizer: { lambda: null } }],
    [{ authorizer: { lambda: { principal: '{' } } }],
    [{ authorizer: { lambda: { principal: '{"userId":"ana"}' } } }],
    [{ authorizer: { lambda: { principal: '{"userId":"","projectId":"shop","roles":[],"source":"oidc"}' } } }],
    [{ authorizer: { lambda: { principal: '{"userId":"a","projectId":"b","roles":[],"source":"made-up"}' } } }],
  ])('lets nobody in without a principal (%j)', (context) => {
    expect(() => principalOf(context)).toThrow(expect.objectContaining({ name: 'Unauthenticated' }))
  })
})
