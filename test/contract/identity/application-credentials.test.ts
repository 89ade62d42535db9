import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANA_PASSWORD, BEN_PASSWORD, type FacadeLab, inProject, startFacade } from '../../support/authorizer/facade.ts'

const TOKENS = '/identity/v3/auth/tokens'
const OF_ANA = '/identity/v3/users/u-ana/application_credentials'
let lab: FacadeLab
let ana: string
let ben: string

beforeAll(async () => {
  lab = await startFacade()
  ana = await lab.token()
  ben = await lab.token('ben', BEN_PASSWORD)
})
afterAll(() => lab.close())

const create = (fields: Record<string, unknown>, token = ana, where = OF_ANA) =>
  lab.call('POST', where, { token, body: { application_credential: fields } })
const logIn = (application_credential: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  lab.call('POST', TOKENS, {
    body: { auth: { identity: { methods: ['application_credential'], application_credential }, ...more } },
  })
const made = async (fields: Record<string, unknown>) => {
  const { status, body } = await create(fields)
  expect([status, body.error]).toEqual([201, undefined])
  return body.application_credential
}
const issuedBy = (answer: { headers: Headers }): string => answer.headers.get('x-subject-token') ?? ''

describe('an application credential', () => {
  it('is made with a secret that is shown once, and logs in to its project with its roles', async () => {
    const { id, secret, ...shown } = await made({ name: 'ci', description: 'builds', roles: [{ name: 'reader' }] })
    expect(shown).toMatchObject({
      name: 'ci',
      project_id: 'p-shop',
      unrestricted: false,
      expires_at: null,
      roles: [{ name: 'reader' }],
    })
    const one = await lab.call('GET', `${OF_ANA}/${id}`, { token: ana })
    expect(one.body.application_credential).toMatchObject({ id, name: 'ci' })
    expect(JSON.stringify(one.body)).not.toContain(secret)
    const answer = await logIn({ id, secret })
    expect(answer.status).toBe(201)
    expect(answer.body.token).toMatchObject({
      methods: ['application_credential'],
      user: { id: 'u-ana' },
      project: { id: 'p-shop' },
      roles: [{ name: 'reader' }],
      application_credential: { id, name: 'ci', restricted: true },
    })
    const token = issuedBy(answer)
    expect((await lab.call('GET', '/v1/clusters', { token })).status).toBe(200)
    const template = await lab.call('POST', '/v1/clustertemplates', { token, body: { name: 'x', coe: 'kubernetes' } })
    expect(template.status).toBe(403)
  })

  it('logs in by its name and that of its user', async () => {
    const { secret } = await made({ name: 'by-name' })
    const user = { name: 'ana', domain: { id: 'default' } }
    expect((await logIn({ name: 'by-name', user, secret })).status).toBe(201)
    expect((await logIn({ name: 'by-name', user: { ...user, name: 'ben' }, secret })).status).toBe(401)
  })

  it('is refused with a wrong secret, with the same answer as one that is not there', async () => {
    const { id } = await made({ name: 'guessed' })
    const [wrong, absent] = [await logIn({ id, secret: 'x' }), await logIn({ id: 'none', secret: 'x' })]
    expect([wrong.status, wrong.body]).toEqual([401, absent.body])
  })

  it('has a name of its own', async () => {
    await made({ name: 'twice' })
    expect((await create({ name: 'twice' })).status).toBe(409)
  })

  it('gives no more than its user has', async () => {
    expect((await create({ name: 'more', roles: [{ name: 'admin' }] })).status).toBe(400)
    expect((await create({ name: 'else', project_id: 'lab' })).status).toBe(403)
    const { id, secret } = await made({ name: 'lab-of-shop' })
    expect((await logIn({ id, secret }, { scope: inProject('lab') })).status).toBe(401)
  })

  it.each<[Record<string, unknown>]>([
    [{}],
    [{ name: 'half \ud800' }],
    [{ name: 'x', secret: 'chosen by the caller' }],
    [{ name: 'x', access_rules: [{ path: '/v1/clusters', method: 'GET', service: 'container-infra' }] }],
    [{ name: 'x', expires_at: '2001-01-01T00:00:00' }],
    [{ name: 'x', expires_at: 'soon' }],
  ])('is not made as %j', async (fields) => {
    const { status, body } = await create(fields)
    expect([status, body.error.title]).toEqual([400, 'Bad Request'])
    expect(JSON.stringify(body)).not.toContain('chosen by')
  })

  it('takes its tokens along when it is deleted', async () => {
    const { id, secret } = await made({ name: 'gone' })
    const token = issuedBy(await logIn({ id, secret }))
    expect((await lab.call('DELETE', `${OF_ANA}/${id}`, { token: ana })).status).toBe(204)
    expect((await lab.call('GET', '/v1/clusters', { token })).status).toBe(401)
    expect((await logIn({ id, secret })).status).toBe(401)
    expect((await lab.call('GET', `${OF_ANA}/${id}`, { token: ana })).status).toBe(404)
    await made({ name: 'gone' })
  })

  it('makes no other and deletes none while it is restricted, and its tokens get no other token', async () => {
    const { id, secret } = await made({ name: 'restricted' })
    const token = issuedBy(await logIn({ id, secret }))
    expect((await create({ name: 'child' }, token)).status).toBe(403)
    expect((await lab.call('DELETE', `${OF_ANA}/${id}`, { token })).status).toBe(403)
    const body = { auth: { identity: { methods: ['token'], token: { id: token } }, scope: inProject('lab') } }
    expect((await lab.call('POST', TOKENS, { body })).status).toBe(403)
    const free = await made({ name: 'unrestricted', unrestricted: true })
    expect((await create({ name: 'child' }, issuedBy(await logIn(free)))).status).toBe(201)
  })
})

describe('credentials of others', () => {
  it('are out of reach', async () => {
    const { id } = await made({ name: 'of ana' })
    const ofBen = '/identity/v3/users/ben/application_credentials'
    expect((await lab.call('GET', OF_ANA, { token: ben })).status).toBe(403)
    expect((await create({ name: 'x' }, ben)).status).toBe(403)
    expect((await lab.call('DELETE', `${OF_ANA}/${id}`, { token: ben })).status).toBe(403)
    expect((await lab.call('GET', `${ofBen}/${id}`, { token: ben })).status).toBe(404)
    expect((await lab.call('GET', ofBen, { token: ben })).body.application_credentials).toEqual([])
  })

  it('need a token', async () => {
    expect((await lab.call('GET', OF_ANA)).status).toBe(401)
    const unscoped = await lab.token('ana', ANA_PASSWORD, 'unscoped')
    expect((await create({ name: 'x' }, unscoped)).status).toBe(403)
  })
})
