import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keystone } from '../../../functions/authorizer/keystone/keystone.ts'
import { keystoneCloud } from '../../../functions/cloud/keystone/keystone-cloud.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { makeCa, startTlsServer, type TestCa, type TestServer } from '../../support/kubernetes/tls.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

let authority: TestCa
let server: TestServer

beforeAll(async () => {
  authority = await makeCa()
  const issued = await authority.issue({ ips: ['127.0.0.1'] })
  server = await startTlsServer(issued, ({ method }, response) => {
    const token = { expires_at: '2030-01-01T00:00:00Z', user: { id: 'ana' }, project: { id: 'shop' }, roles: [] }
    const headers = { 'content-type': 'application/json', 'x-subject-token': 'session' }
    response.writeHead(method === 'POST' ? 201 : 200, headers)
    response.end(JSON.stringify({ token }))
  })
})
afterAll(() => server.close())

const base = () => `https://127.0.0.1:${server.port}`
const grant = {
  userId: 'ana',
  restrictedId: 'restricted',
  unrestricted: { id: 'unrestricted', secret: new Secret('s') },
}
const unavailable = expect.objectContaining({ name: 'IdentityProviderUnavailable' })

describe('a Keystone whose certificate is of an authority of its own', () => {
  it('is trusted when that authority is set', async () => {
    const caPem = authority.certificatePem
    expect(await keystoneCloud({ base: base(), region: null, caPem, roles: ['member'] }).isAlive(grant)).toBe(true)
    const readCredential = async () => ({
      application_credential_id: 'fedplane',
      application_credential_secret: new Secret('s'),
    })
    const identityOf = keystone({ url: base(), caPem, readCredential }, { clock: manualClock() })
    expect(await identityOf('token')).toMatchObject({ principal: { userId: 'ana' } })
  })

  it('is not trusted without it, and gets no request', async () => {
    const before = server.seen.length
    await expect(
      keystoneCloud({ base: base(), region: null, caPem: null, roles: ['member'] }).isAlive(grant),
    ).rejects.toEqual(unavailable)
    const other = (await makeCa('other')).certificatePem
    await expect(
      keystoneCloud({ base: base(), region: null, caPem: other, roles: ['member'] }).isAlive(grant),
    ).rejects.toEqual(unavailable)
    expect(server.seen.length).toBe(before)
  })
})
