import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identityOptions } from '../../../local/authorizer/identity-options.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { AUDIENCE, IssuerStandIn } from '../../support/authorizer/issuer-stand-in.ts'
import { KeystoneStandIn, SERVICE_SECRET } from '../../support/authorizer/keystone-stand-in.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const cloud = new KeystoneStandIn()
const issuer = new IssuerStandIn()
const log = keptLog()
let folder: string
let fedplane: Fedplane

beforeAll(async () => {
  await Promise.all([cloud.start(), issuer.start()])
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-test-'))
  const tokensFile = path.join(folder, 'tokens.json')
  const holder = { userId: 'file-user', projectId: 'file', roles: ['member', 'reader'] }
  writeFileSync(tokensFile, JSON.stringify({ 'token-of-file': holder }), { mode: 0o600 })
  const environment: Record<string, string> = {
    FEDPLANE_KEYSTONE_URL: `${cloud.url}/v3`,
    FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_ID: 'fedplane',
    FEDPLANE_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: SERVICE_SECRET,
    FEDPLANE_OIDC_ISSUER: issuer.url,
    FEDPLANE_OIDC_AUDIENCE: AUDIENCE,
  }
  const identity = identityOptions((name) => environment[name])
  fedplane = await startFedplane({ tokensFile, identity, log })
  const expiresAt = new Date(Date.now() + 3_600_000)
  cloud.serviceExpiresAt = expiresAt
  cloud.tokens.set('token-of-ana', { expiresAt })
  cloud.tokens.set('token-of-ben', { expiresAt })
  cloud.tokens.set('token-of-nobody', { expiresAt, roles: ['other'] })
})
afterAll(async () => {
  await fedplane.close()
  await Promise.all([cloud.close(), issuer.close()])
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  cloud.trouble = undefined
})

const get = (headers: Record<string, string>): Promise<Response> => fetch(`${fedplane.url}/v1/clusters`, { headers })

describe('local mode with identity providers', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['of the token file', async () => ({ 'X-Auth-Token': 'token-of-file' })],
    ['of Keystone', async () => ({ 'X-Auth-Token': 'token-of-ana' })],
    ['of the issuer', async () => ({ Authorization: `Bearer ${await issuer.sign(issuer.claims(new Date()))}` })],
  ])('serves the holder of a token %s', async (_, headers) => {
    const response = await get(await headers())
    expect([response.status, await response.json()]).toEqual([200, { clusters: [] }])
  })

  it('answers 401 as Magnum does, and names Keystone', async () => {
    const response = await get({ 'X-Auth-Token': 'unknown' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(`Keystone uri="${cloud.url}"`)
    expect(await response.json()).toMatchObject({ error: { code: 401, message: expect.stringMatching(/Keystone/) } })
  })

  it('answers 401 without a token', async () => {
    expect((await get({})).status).toBe(401)
  })

  it('answers 403 to somebody without a role that means something here', async () => {
    expect((await get({ 'X-Auth-Token': 'token-of-nobody' })).status).toBe(403)
  })

  it('answers 503 in the envelope while Keystone is down', async () => {
    cloud.trouble = 'error'
    const response = await get({ 'X-Auth-Token': 'token-of-ben' })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      errors: [{ code: 'server', status: 503, title: expect.stringMatching(/try again later/) }],
    })
    cloud.trouble = undefined
    expect((await get({ 'X-Auth-Token': 'token-of-ben' })).status).toBe(200)
  })

  it('logs no token and no secret', () => {
    expect(log.lines.length).toBeGreaterThan(0)
    expect(inspect(log.lines, { depth: 10, showHidden: true })).not.toMatch(/token-of-|service-token-|secret-that/)
  })
})
