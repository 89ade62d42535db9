import { writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../functions/identity/password.ts'
import { identityOptions } from '../../../local/authorizer/identity-options.ts'
import {
  ANA_PASSWORD,
  BEN_PASSWORD,
  type FacadeLab,
  inProject,
  passwordLogin,
  startFacade,
} from '../../support/authorizer/facade.ts'
import { AUDIENCE, IssuerStandIn } from '../../support/authorizer/issuer-stand-in.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

const TOKENS = '/identity/v3/auth/tokens'
const FEDERATED = '/identity/v3/OS-FEDERATION/identity_providers/oidc/protocols/openid/auth'
const issuer = new IssuerStandIn()
const log = keptLog()
let lab: FacadeLab

beforeAll(async () => {
  await issuer.start()
  const environment: Record<string, string> = {
    FEDPLANE_OIDC_ISSUER: issuer.url,
    FEDPLANE_OIDC_AUDIENCE: AUDIENCE,
  }
  lab = await startFacade({ identity: identityOptions((name) => environment[name]), log })
})
afterAll(async () => {
  await lab.close()
  await issuer.close()
})
beforeEach(() => lab.writeUsers(lab.users))

const clusters = async (token: string) => (await lab.call('GET', '/v1/clusters', { token })).status
const ofUsers = (change: (ana: Record<string, unknown>, ben: Record<string, unknown>) => unknown[]): void =>
  lab.writeUsers(change(lab.users[0] ?? {}, lab.users[1] ?? {}))

describe('a change of the file of users', () => {
  it('ends the tokens of a user that is taken out', async () => {
    const token = await lab.token()
    ofUsers((_, ben) => [ben])
    expect(await clusters(token)).toBe(401)
  })

  it('ends the tokens that another password has opened, also those got with them', async () => {
    const token = await lab.token()
    const body = { auth: { identity: { methods: ['token'], token: { id: token } }, scope: inProject('lab') } }
    const second = (await lab.call('POST', TOKENS, { body })).headers.get('x-subject-token') ?? ''
    const password = await hashPassword('another one')
    ofUsers((ana, ben) => [{ ...ana, password }, ben])
    expect(await Promise.all([token, second].map(clusters))).toEqual([401, 401])
    expect(await clusters(await lab.token('ana', 'another one'))).toBe(200)
  })

  it('takes roles and projects away at once', async () => {
    const token = await lab.token()
    const create = () =>
      lab.call('POST', '/v1/clustertemplates', { token, body: { name: 'x', coe: 'kubernetes', driver: 'external@1' } })
    expect((await create()).status).not.toBe(403)
    ofUsers((ana, ben) => [{ ...ana, projects: [{ name: 'shop', id: 'p-shop', roles: ['reader'] }] }, ben])
    expect((await create()).status).toBe(403)
    ofUsers((ana, ben) => [
      { ...ana, projects: [] },
      { ...ben, projects: [] },
    ])
    expect(await clusters(token)).toBe(401)
  })

  it('is passed over when it is no such file, and told without a password', async () => {
    const token = await lab.token()
    writeFileSync(lab.usersFile, 'users: [{name: ana, password: "my-own-secret"}]')
    expect(await clusters(token)).toBe(200)
    expect(inspect(log.lines, { depth: 10 })).toMatch(/fedplane user hash/)
    expect(inspect(log.lines, { depth: 10 })).not.toMatch(/my-own-secret/)
  })
})

describe('OS-FEDERATION', () => {
  const bearer = async (claims: Record<string, unknown> = {}) => ({
    Authorization: `Bearer ${await issuer.sign({ ...issuer.claims(new Date()), ...claims })}`,
  })

  it('gives an unscoped token for a JWT, which is scoped to the project of its claims', async () => {
    const unscoped = await lab.call('POST', FEDERATED, { headers: await bearer({ sub: 'u-ana' }) })
    expect([unscoped.status, unscoped.body.token.project]).toEqual([201, undefined])
    const id = unscoped.headers.get('x-subject-token') ?? ''
    const projects = await lab.call('GET', '/identity/v3/auth/projects', { token: id })
    const [project] = projects.body.projects
    const rescope = (scope: unknown) =>
      lab.call('POST', TOKENS, { body: { auth: { identity: { methods: ['token'], token: { id } }, scope } } })
    const scoped = await rescope({ project: { id: project.id } })
    expect([scoped.status, scoped.body.token.project.id]).toEqual([201, project.id])
    const token = scoped.headers.get('x-subject-token') ?? ''
    expect(await clusters(token)).toBe(200)
    expect((await rescope({ project: { id: 'lab' } })).status).toBe(401)
    // Although the issuer calls its user as one of ours.
    const others = await lab.call('GET', '/identity/v3/users/u-ana/application_credentials', { token })
    expect(others.status).toBe(403)
    const ana = await lab.token()
    expect((await lab.call('DELETE', TOKENS, { token, subject: ana })).status).toBe(403)
  })

  it('gives a token that is not valid for longer than the JWT', async () => {
    const exp = Math.floor(Date.now() / 1000) + 90
    const answer = await lab.call('GET', FEDERATED, { headers: await bearer({ exp }) })
    expect(Date.parse(answer.body.token.expires_at)).toBe(exp * 1000)
  })

  it('refuses what the issuer has not signed, and other providers', async () => {
    const forged = await lab.call('POST', FEDERATED, { headers: { Authorization: 'Bearer a.b.c' } })
    expect([forged.status, forged.body.error.code]).toEqual([401, 401])
    expect((await lab.call('POST', FEDERATED)).status).toBe(401)
    const elsewhere = FEDERATED.replace('/oidc/', '/saml/')
    expect((await lab.call('POST', elsewhere, { headers: await bearer() })).status).toBe(404)
  })
})

describe('the log', () => {
  it('has no password and no token', async () => {
    const token = await lab.token()
    await lab.call('POST', TOKENS, { body: passwordLogin('ana', 'not-the-password') })
    const text = inspect(log.lines, { depth: 10, showHidden: true })
    expect(text).toMatch(/logged in/)
    for (const secret of [ANA_PASSWORD, BEN_PASSWORD, 'not-the-password', token]) expect(text).not.toContain(secret)
  })
})
