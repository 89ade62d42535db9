import { describe, expect, it } from 'vitest'
import { requestToken } from '../../../../functions/drivers/support/member/tokens.ts'
import type { KubernetesClient } from '../../../../functions/kubernetes/client.ts'

const NOW = '2026-11-29T12:00:00.000Z'

const later = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1000).toISOString()

/** What a member's answer to a TokenRequest is taken for. */
const requested = (status: unknown) => {
  const client = { post: async () => ({ apiVersion: 'v1', kind: 'TokenRequest', metadata: { name: '' }, status }) }
  return requestToken(client as unknown as KubernetesClient, { namespace: 'n', account: 'a' }, NOW)
}

const ending = (expirationTimestamp: unknown) => requested({ token: 't', expirationTimestamp })

describe('requestToken', () => {
  it('renews after two thirds of the life', async () => {
    expect(await ending(later(900))).toMatchObject({ expiresAt: later(900), renewAfter: later(600) })
  })

  it.each([
    ['in the past', later(-1)],
    ['now', NOW],
    ['in 599 s', later(599)],
    ['long ago', '0001-01-01T00:00:00Z'],
    ['never that is a moment', 'tomorrow'],
    ['beyond all dates', '+999999-01-01T00:00:00Z'],
  ])('refuses a token that ends %s', async (_when, expirationTimestamp) => {
    await expect(ending(expirationTimestamp)).rejects.toMatchObject({
      name: 'TokenTooShortLived',
      message: expect.stringMatching(/10 minutes at least\. Compare the clocks/),
    })
  })

  it('counts what lives for years as two days', async () => {
    expect(await ending('9999-01-01T00:00:00Z')).toMatchObject({
      expiresAt: later(172_800),
      renewAfter: later(115_200),
    })
  })

  it.each([
    ['no token', { token: '', expirationTimestamp: later(900) }],
    ['a token of a megabyte', { token: 'x'.repeat(1_000_000), expirationTimestamp: later(900) }],
    ['an end that is no text', { token: 't', expirationTimestamp: 5 }],
    ['an end of a megabyte', { token: 't', expirationTimestamp: ' '.repeat(1_000_000) }],
    ['nothing', undefined],
  ])('takes %s for no answer of Kubernetes', async (_what, status) => {
    await expect(requested(status)).rejects.toMatchObject({ name: 'NotKubernetes' })
  })
})
