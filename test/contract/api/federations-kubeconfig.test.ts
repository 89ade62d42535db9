import { inspect } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal, Role } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { KUBECONFIG_MARKER } from '../../support/api/drivers.ts'
import { changeFederation, givenFederation, readFederation } from '../../support/api/entities.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { textOf } from '../../support/api/log.ts'
import { ALICE, BOB } from '../../support/api/request.ts'
import { defaultPolicies } from '../../support/policy.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const somebody = (userId: string, ...roles: Role[]): Principal => ({
  userId,
  projectId: 'blue',
  roles,
  source: 'token-file',
})

const given = async (name = 'fleet') => (await givenFederation(lab, { name, driver: 'platform@1' })).id
const get = (id: string, query = '', options: Parameters<ApiLab['call']>[2] = {}) =>
  lab.call('GET', `/v1/federations/${id}/kubeconfig${query}`, options)

const secondsUntil = (time: string): number => (Date.parse(time) - Date.now()) / 1000

describe('GET /v1/federations/{federation}/kubeconfig', () => {
  it('answers the file and when its credential expires, not to be stored', async () => {
    const { status, body, headers } = await get(await given())
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['expires_at', 'kubeconfig'])
    expect(JSON.parse(body.kubeconfig)).toMatchObject({ of: 'fleet', for: 'alice', token: KUBECONFIG_MARKER })
    expect(body.expires_at).toMatch(/\+00:00$/)
    expect(secondsUntil(body.expires_at)).toBeGreaterThan(3500)
    expect(secondsUntil(body.expires_at)).toBeLessThanOrEqual(3600)
    expect(headers['cache-control']).toBe('no-store')
  })

  it.each([
    ['application/yaml', true],
    ['application/yaml, application/json;q=0.5', true],
    ['application/json, application/yaml', false],
    ['*/*', false],
    ['application/yaml;q=0, */*', false],
  ])('for Accept: %s gives the bare file: %s', async (accept, isBare) => {
    const { text, headers } = await get(await given('bare'), '', { headers: { accept } })
    expect([headers['content-type'], headers['cache-control'], text.startsWith('{"of": "bare"')]).toEqual([
      isBare ? 'application/yaml' : 'application/json',
      'no-store',
      isBare,
    ])
  })

  it('answers HEAD with the headers, and issues nothing', async () => {
    const id = await given()
    const before = await readFederation(lab, id)
    const path = `/v1/federations/${id}/kubeconfig`
    const { status, text, headers } = await lab.call('HEAD', path, { headers: { accept: 'application/yaml' } })
    expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      '',
      'application/yaml',
      'no-store',
    ])
    expect((await lab.call('HEAD', path)).headers['content-type']).toBe('application/json')
    expect((await lab.call('HEAD', '/v1/federations/absent/kubeconfig')).status).toBe(404)
    expect((await readFederation(lab, id)).revision).toBe(before.revision)
  })

  it('is 406 for what it can not answer with, and other routes have no YAML', async () => {
    const id = await given()
    const refused = await get(id, '', { headers: { accept: 'text/html' } })
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      406,
      expect.stringContaining('"application/json" and "application/yaml"'),
    ])
    const plain = await lab.call('GET', `/v1/federations/${id}`, { headers: { accept: 'application/yaml' } })
    expect(plain.status).toBe(406)
  })

  it.each([
    ['600', 600],
    ['86400', 86_400],
    ['00900', 900],
  ])('?expires_in=%s is for %d seconds', async (text, seconds) => {
    const { body } = await get(await given(), `?expires_in=${text}`)
    expect(secondsUntil(body.expires_at)).toBeGreaterThan(seconds - 60)
    expect(secondsUntil(body.expires_at)).toBeLessThanOrEqual(seconds)
  })

  it.each(['599', '86401', '-600', '1h', '', '600.5'])('?expires_in=%s is 400 with the limits', async (text) => {
    const { status, body } = await get(await given(), `?expires_in=${text}`)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('from 600 to 86400')])
  })

  it('takes the name of the federation, and is 404 where there is none, or it is another project’s', async () => {
    const id = await given('by-name')
    expect((await get('by-name')).status).toBe(200)
    expect((await get('00000000-0000-4000-8000-00000000dead')).status).toBe(404)
    expect((await get(id, '', { as: { ...BOB, roles: ['admin'] } })).status).toBe(404)
  })

  it('is 400 naming the driver where that has no API server', async () => {
    const { id } = await givenFederation(lab)
    const { status, body } = await get(id)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('memory@1')])
  })

  it('is 409 until the control plane came up, and from its deletion on', async () => {
    const id = await given()
    await changeFederation(lab, id, { status: 'CREATE_IN_PROGRESS', conditions: [] })
    const early = await get(id)
    expect([early.status, early.body.errors[0].detail]).toEqual([409, expect.stringContaining('CREATE_IN_PROGRESS')])
    const deleted = await given()
    await lab.call('DELETE', `/v1/federations/${deleted}`)
    expect((await get(deleted)).status).toBe(409)
  })

  it('is given while the control plane has a fault', async () => {
    const id = await given()
    const [ready] = (await readFederation(lab, id)).conditions
    if (ready === undefined) throw new Error('it has no condition')
    await changeFederation(lab, id, { conditions: [{ ...ready, status: 'False', reason: 'EtcdDown' }] })
    const observedAt = '2026-11-27T10:00:00.000Z'
    await lab.stores.federations.observe({ projectId: 'blue', id }, { observedAt, fault: 'EtcdDown', members: {} })
    expect((await get(id)).status).toBe(200)
  })

  it.each([
    ['DELETE', 405],
    ['PATCH', 405],
  ])('%s is %d', async (method, status) => {
    expect((await lab.call(method, `/v1/federations/${await given()}/kubeconfig`, { body: {} })).status).toBe(status)
  })

  it.each(['1.1', '1.14', 'latest'])('is there in version %s', async (version) => {
    const headers = { 'OpenStack-API-Version': `container-infra ${version}` }
    expect((await get(await given(), '', { headers })).status).toBe(200)
  })

  it('refuses unknown parameters, and nobody', async () => {
    const id = await given()
    expect((await get(id, '?force=true')).status).toBe(400)
    expect((await get(id, '', { as: null })).status).toBe(401)
  })
})

describe('who gets a kubeconfig', () => {
  it.each<[Principal, number]>([
    [somebody('root', 'admin'), 200],
    [somebody('alice', 'member', 'reader'), 403],
    [somebody('ben', 'member'), 403],
    [somebody('rita', 'reader'), 403],
  ])('%o: %d', async (as, status) => {
    const answer = await get(await given(), '', { as })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body.errors[0].detail).toContain('federation:kubeconfig')
  })

  it('is for operators to widen, by the owner of the federation', async () => {
    const text = `
      permit (principal in Role::"member", action == Action::"federation:kubeconfig", resource)
      when { resource.project == principal.project && resource has owner && resource.owner == principal };`
    const app = lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })
    const id = await given()
    const of = async (as: Principal) => (await callApp(app, 'GET', `/v1/federations/${id}/kubeconfig`, { as })).status
    expect([await of(somebody('alice', 'member')), await of(somebody('ben', 'member'))]).toEqual([200, 403])
  })
})

describe('the audit', () => {
  it('tells who was given one and until when, and never what', async () => {
    const id = await given('audited')
    const { revision } = await readFederation(lab, id)
    const { body } = await get(id, '?expires_in=700')
    await get(id, '', { as: somebody('ben', 'reader') })
    const { items } = await lab.stores.events.listOf('blue', { kind: 'federation', id }, { limit: 100 })
    const told = items.filter(({ action }) => action === 'kubeconfig')
    expect(told).toMatchObject([
      { outcome: 'success', reason: 'KubeconfigIssued', clusterId: null, sequence: revision + 1 },
    ])
    expect(told[0]?.message).toContain('alice')
    expect(told[0]?.message).toContain(body.expires_at.slice(0, 19))
    const listed = await lab.call('GET', `/v1/federations/${id}/events`)
    expect(listed.body.events.at(-1)).toMatchObject({ action: 'kubeconfig' })
  })

  it('comes before the answer: one that can not be written down is not given', async () => {
    const id = await given()
    const stores = { ...lab.stores, commit: () => Promise.reject(new Error('the table is gone')) }
    const { status, text } = await callApp(lab.appOver({ stores }), 'GET', `/v1/federations/${id}/kubeconfig`, {
      as: ALICE,
    })
    expect([status, text.includes(KUBECONFIG_MARKER)]).toEqual([500, false])
  })

  it('leaves the content in no log line and no item', async () => {
    await get(await given())
    const { client, tableName } = lab.stores.table
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
    expect(Items.length).toBeGreaterThan(5)
    expect(inspect(Items, { depth: 20, maxArrayLength: null, maxStringLength: null })).not.toContain(KUBECONFIG_MARKER)
    expect(textOf(lab.log)).not.toContain(KUBECONFIG_MARKER)
  })
})

describe('POST /v1/federations/{federation}/kubeconfig', () => {
  const post = (id: string, options: Parameters<ApiLab['call']>[2] = {}, query = '') =>
    lab.call('POST', `/v1/federations/${id}/kubeconfig${query}`, options)

  it.each([{}, { body: {} }])('answers as GET does, and is an event (%j)', async (options) => {
    const id = await given()
    const { status, body, headers } = await post(id, options, '?expires_in=600')
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(JSON.parse(body.kubeconfig)).toMatchObject({ of: 'fleet', for: 'alice', token: KUBECONFIG_MARKER })
    expect(secondsUntil(body.expires_at)).toBeLessThanOrEqual(600)
    const events = (await lab.call('GET', `/v1/federations/${id}/events`)).body.events
    expect(events.filter(({ action }: { action: string }) => action === 'kubeconfig')).toHaveLength(1)
  })

  it('gives the bare file as GET does, and takes no attributes of others', async () => {
    const id = await given()
    const { text, headers } = await post(id, { headers: { accept: 'application/yaml' } })
    expect([headers['content-type'], text.startsWith('{"of": "fleet"')]).toEqual(['application/yaml', true])
    expect((await post(id, { body: { user: 'root' } })).status).toBe(400)
  })

  it('is for the same callers as GET', async () => {
    const id = await given()
    expect((await post(id, { as: somebody('ben', 'member') })).status).toBe(403)
    expect((await post(id, { as: { ...BOB, roles: ['admin'] } })).status).toBe(404)
  })

  it.each([
    ['Origin', 'https://horizon.example.org'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['Sec-Fetch-User', '?1'],
    ['Sec-Fetch-Dest', 'image'],
  ])('is what a browser must use: GET with %s is refused and issues nothing', async (name, value) => {
    const id = await given()
    const { status, body } = await get(id, '', { headers: { [name]: value } })
    expect([status, body.errors[0].detail]).toEqual([
      403,
      expect.stringMatching(/browser.*POST \/v1\/federations\/\{federation\}\/kubeconfig/),
    ])
    expect((await get(id, '', { headers: { [name]: value } })).text).not.toContain(KUBECONFIG_MARKER)
    const events = (await lab.call('GET', `/v1/federations/${id}/events`)).body.events
    expect(events.filter(({ action }: { action: string }) => action === 'kubeconfig')).toEqual([])
    expect((await post(id, { headers: { [name]: value } })).status).toBe(200)
  })

  it("leaves GET to Node's fetch, which is no browser although it sends Sec-Fetch-Mode", async () => {
    expect((await get(await given(), '', { headers: { 'Sec-Fetch-Mode': 'cors' } })).status).toBe(200)
  })
})
