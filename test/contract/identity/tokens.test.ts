import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ANA_PASSWORD,
  BEN_PASSWORD,
  type FacadeLab,
  inProject,
  passwordLogin,
  startFacade,
} from '../../support/authorizer/facade.ts'

const TOKENS = '/identity/v3/auth/tokens'
let lab: FacadeLab

beforeAll(async () => {
  lab = await startFacade()
})
afterAll(() => lab.close())

const logIn = (body: unknown) => lab.call('POST', TOKENS, { body })
const clusters = async (token: string): Promise<number> => (await lab.call('GET', '/v1/clusters', { token })).status
const rescope = (id: string, scope?: unknown) =>
  logIn({ auth: { identity: { methods: ['token'], token: { id } }, ...(scope === undefined ? {} : { scope }) } })
const issuedBy = (answer: { headers: Headers }): string => answer.headers.get('x-subject-token') ?? ''

describe('discovery', () => {
  it('names version 3 below its own path, with 300 as Keystone', async () => {
    const { status, body } = await lab.call('GET', '/identity/')
    expect(status).toBe(300)
    expect(body.versions.values).toMatchObject([{ id: expect.stringMatching(/^v3\./), status: 'stable' }])
    const [self] = body.versions.values[0].links
    expect(self.href).toBe(`${lab.fedplane.url}/identity/v3/`)
    const version = await lab.call('GET', new URL(self.href).pathname)
    expect([version.status, version.body.version.links[0].href]).toEqual([200, self.href])
  })

  it('answers 404 and 405 in the form of Keystone', async () => {
    const missing = await lab.call('GET', '/identity/v3/nothing')
    expect([missing.status, missing.body.error]).toMatchObject([404, { code: 404, title: 'Not Found' }])
    const wrong = await lab.call('PATCH', TOKENS)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE'])
  })
})

describe('POST /v3/auth/tokens', () => {
  it('gives a token for a project, with roles and catalog, that the API takes', async () => {
    const { status, headers, body } = await logIn(passwordLogin('ana', ANA_PASSWORD, inProject('shop')))
    expect(status).toBe(201)
    expect(body.token).toMatchObject({
      methods: ['password'],
      user: { id: 'u-ana', name: 'ana', domain: { id: 'default', name: 'Default' } },
      project: { id: 'p-shop', name: 'shop', domain: { id: 'default' } },
      roles: [{ name: 'member' }, { name: 'reader' }],
    })
    expect(Date.parse(body.token.expires_at) - Date.parse(body.token.issued_at)).toBe(3_600_000)
    const service = body.token.catalog.find(({ type }: { type: string }) => type === 'container-infra')
    expect(service.endpoints.find((it: { interface: string }) => it.interface === 'public')).toMatchObject({
      url: `${lab.fedplane.url}/v1`,
      region: 'RegionOne',
    })
    expect(await clusters(headers.get('x-subject-token') ?? '')).toBe(200)
  })

  it('leaves the catalog out when it is asked to', async () => {
    const body = passwordLogin('ben', BEN_PASSWORD)
    const answer = await lab.call('POST', `${TOKENS}?nocatalog`, { body })
    expect(answer.body.token.project.id).toBe('p-shop')
    expect(answer.body.token.catalog).toBeUndefined()
  })

  it('is unscoped without a scope where there are several projects, and the API does not take that', async () => {
    const answer = await logIn(passwordLogin('ana', ANA_PASSWORD))
    expect(answer.status).toBe(201)
    expect(answer.body.token.project).toBeUndefined()
    const refused = await lab.call('GET', '/v1/clusters', { token: issuedBy(answer) })
    expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringMatching(/unscoped/)])
    const projects = await lab.call('GET', '/identity/v3/auth/projects', { token: issuedBy(answer) })
    expect(projects.body.projects.map(({ id }: { id: string }) => id)).toEqual(['p-shop', 'lab'])
  })

  it.each<[string, unknown]>([
    ['a wrong password', passwordLogin('ana', 'wrong')],
    ['an unknown user', passwordLogin('nobody', ANA_PASSWORD)],
    ["another user's password", passwordLogin('ben', ANA_PASSWORD)],
    ['a project of others', passwordLogin('ben', BEN_PASSWORD, inProject('lab'))],
    ['a project that is not there', passwordLogin('ben', BEN_PASSWORD, inProject('none'))],
    ['another domain', passwordLogin('ben', BEN_PASSWORD, { project: { name: 'shop', domain: { id: 'other' } } })],
  ])('answers one and the same 401 to %s', async (_, body) => {
    const { status, headers, body: answer } = await logIn(body)
    expect([status, answer]).toEqual([
      401,
      { error: { code: 401, message: 'The request you have made requires authentication.', title: 'Unauthorized' } },
    ])
    expect(headers.get('www-authenticate')).toBe(`Keystone uri="${lab.fedplane.url}/identity/v3"`)
    expect(headers.get('x-subject-token')).toBeNull()
  })

  it.each<[number, unknown]>([
    [400, '{"auth": '],
    [400, {}],
    [400, { auth: { identity: { methods: ['password'] } } }],
    [401, { auth: { identity: { methods: ['totp'] } } }],
    [401, { auth: { identity: { methods: ['constructor'] } } }],
    [401, { auth: { identity: { methods: ['password', 'token'] } } }],
    [401, passwordLogin('ben', BEN_PASSWORD, { system: { all: true } })],
    [413, { auth: 'x'.repeat(70_000) }],
  ])('answers %i to what is no login: %j', async (status, body) => {
    expect((await logIn(body)).status).toBe(status)
  })
})

describe('the method token', () => {
  it('changes the project, and keeps the expiry', async () => {
    const first = await logIn(passwordLogin('ana', ANA_PASSWORD, inProject('shop')))
    const second = await rescope(issuedBy(first), inProject('lab'))
    expect(second.status).toBe(201)
    expect(second.body.token).toMatchObject({ methods: ['password', 'token'], project: { id: 'lab' } })
    expect(second.body.token.expires_at).toBe(first.body.token.expires_at)
    expect(await clusters(issuedBy(second))).toBe(200)
  })

  it('does not reach projects of others, nor take what is no token', async () => {
    const token = await lab.token('ben', BEN_PASSWORD)
    expect((await rescope(token, inProject('lab'))).status).toBe(401)
    expect((await rescope('nonsense', inProject('shop'))).status).toBe(401)
  })

  it('ends: a token that is passed on for ever would be checked with ever more before it', async () => {
    let token = await lab.token()
    let answer = await rescope(token, inProject('shop'))
    for (let turn = 0; turn < 20 && answer.status === 201; turn++) {
      token = issuedBy(answer)
      answer = await rescope(token, inProject('shop'))
    }
    expect(answer.status).toBe(403)
  })
})

describe('GET and DELETE /v3/auth/tokens', () => {
  it('shows the token of the header, HEAD without a body', async () => {
    const token = await lab.token()
    const shown = await lab.call('GET', TOKENS, { token, subject: token })
    expect(shown.status).toBe(200)
    expect(shown.body.token).toMatchObject({ user: { id: 'u-ana' }, project: { id: 'p-shop' } })
    expect((await lab.call('HEAD', TOKENS, { token, subject: token })).body).toBeUndefined()
  })

  it('shows and revokes no token of another user', async () => {
    const [ana, ben] = [await lab.token(), await lab.token('ben', BEN_PASSWORD)]
    expect((await lab.call('GET', TOKENS, { token: ben, subject: ana })).status).toBe(403)
    expect((await lab.call('DELETE', TOKENS, { token: ben, subject: ana })).status).toBe(403)
    expect(await clusters(ana)).toBe(200)
  })

  it('revokes at once, with all tokens that were got with it, and not the one it was got with', async () => {
    const first = await lab.token()
    const second = issuedBy(await rescope(first, inProject('lab')))
    const third = issuedBy(await rescope(second, inProject('shop')))
    expect((await lab.call('DELETE', TOKENS, { token: first, subject: second })).status).toBe(204)
    expect(await Promise.all([first, second, third].map(clusters))).toEqual([200, 401, 401])
    expect((await rescope(third, inProject('shop'))).status).toBe(401)
    expect((await lab.call('GET', TOKENS, { token: first, subject: second })).status).toBe(404)
  })

  it('asks for a token of the caller', async () => {
    const token = await lab.token()
    expect((await lab.call('GET', TOKENS, { subject: token })).status).toBe(401)
    expect((await lab.call('GET', TOKENS, { token })).status).toBe(400)
  })
})

describe('a token of an attacker', () => {
  const forged = async (header: { alg: string; typ?: string }, key: Uint8Array) =>
    new SignJWT({ anc: [], prj: 'lab', amr: ['password'] })
      .setProtectedHeader({ typ: 'fedplane+jwt', ...header })
      .setJti('made-up')
      .setSubject('u-ana')
      .setIssuer('fedplane')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key)
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('is refused when another key signed it', async () => {
    expect(await clusters(await forged({ alg: 'HS256' }, new Uint8Array(32)))).toBe(401)
  })

  it('is refused without a signature', async () => {
    const token = await lab.token()
    const [, payload] = token.split('.')
    expect(await clusters(`${part({ alg: 'none', typ: 'fedplane+jwt' })}.${payload}.`)).toBe(401)
  })

  it('is refused with another project in it', async () => {
    const [header, payload = '', signature] = (await lab.token('ben', BEN_PASSWORD)).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(await clusters(`${header}.${part({ ...claims, prj: 'lab' })}.${signature}`)).toBe(401)
  })
})

describe('the catalog', () => {
  it('is shown for a token with a project', async () => {
    const { body } = await lab.call('GET', '/identity/v3/auth/catalog', { token: await lab.token() })
    expect(body.catalog.map(({ type }: { type: string }) => type)).toEqual(['container-infra', 'identity'])
  })
})
