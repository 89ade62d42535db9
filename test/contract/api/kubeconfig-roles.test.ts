import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal, Role } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { givenCluster, givenFederation } from '../../support/api/entities.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { BOB } from '../../support/api/request.ts'
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
const ROOT = somebody('root', 'admin')
const BEN = somebody('ben', 'member')
const RITA = somebody('rita', 'reader')
const NOBODY = somebody('zoe')

const given = async (driver = 'platform@1') => (await givenFederation(lab, { name: 'fleet', driver })).id
const post = (id: string, body: unknown, as: Principal = ROOT, query = '') =>
  lab.call('POST', `/v1/federations/${id}/kubeconfig${query}`, { body, as })

describe('POST /v1/federations/{federation}/kubeconfig with a role', () => {
  it.each<[Principal, object, number]>([
    [RITA, { role: 'viewer' }, 200],
    [RITA, { role: 'viewer', namespace: 'shop' }, 200],
    [RITA, { role: 'editor', namespace: 'shop' }, 403],
    [RITA, { role: 'admin' }, 403],
    [RITA, {}, 403],
    [BEN, { role: 'viewer' }, 200],
    [BEN, { role: 'editor', namespace: 'shop' }, 200],
    [BEN, { role: 'admin' }, 403],
    [BEN, { role: 'admin', namespace: 'shop' }, 403],
    [BEN, {}, 403],
    [ROOT, { role: 'viewer' }, 200],
    [ROOT, { role: 'editor', namespace: 'shop' }, 200],
    [ROOT, { role: 'admin' }, 200],
    [ROOT, {}, 200],
    [NOBODY, { role: 'viewer' }, 403],
    [{ ...BOB, roles: ['reader'] }, { role: 'viewer' }, 404],
    [{ ...BOB, roles: ['admin'] }, { role: 'admin' }, 404],
  ])('%o asks for %j: %d', async (as, wanted, status) => {
    expect((await post(await given(), wanted, as)).status).toBe(status)
  })

  it('gives a file for the caller, the role and the namespace, not to be stored, and writes an event', async () => {
    const id = await given()
    const { body, headers } = await post(id, { role: 'editor', namespace: 'shop', expires_in: 600 }, BEN)
    expect(JSON.parse(body.kubeconfig)).toMatchObject({ for: 'ben', role: 'editor', namespace: 'shop' })
    expect(headers['cache-control']).toBe('no-store')
    expect((Date.parse(body.expires_at) - Date.now()) / 1000).toBeLessThanOrEqual(600)
    const { events } = (await lab.call('GET', `/v1/federations/${id}/events`)).body
    expect(events.at(-1).message).toContain('User ben was given a kubeconfig of fleet as editor of namespace shop')
  })

  it('lives an hour unless it is asked otherwise, in the query too', async () => {
    const id = await given()
    const seconds = async (body: object, query = '') =>
      Math.round((Date.parse((await post(id, body, ROOT, query)).body.expires_at) - Date.now()) / 600_000) * 600
    expect([await seconds({}), await seconds({ expires_in: '1200' }), await seconds({}, '?expires_in=1800')]).toEqual([
      3600, 1200, 1800,
    ])
  })

  it('says which roles the caller may ask for', async () => {
    const id = await given()
    const { errors } = (await post(id, { role: 'admin', namespace: 'shop' }, BEN)).body
    expect(errors[0].detail).toBe(
      "Policy doesn't allow federation:kubeconfig to be performed by you (roles: member) with the role admin. Ask for the role viewer or editor.",
    )
  })

  it.each([
    [{ role: 'owner' }, '"viewer" or "editor" or "admin"'],
    [{ role: ['viewer'] }, '"viewer" or "editor" or "admin"'],
    [{ namespace: 'Shop' }, 'namespace'],
    [{ namespace: 'a/b' }, 'namespace'],
    [{ namespace: 'x'.repeat(64) }, 'namespace'],
    [{ role: 'viewer', namespace: 'taken' }, 'The namespace taken is its own.'],
    [{ expires_in: 599 }, 'from 600 to 86400'],
    [{ expires_in: 86_401 }, 'from 600 to 86400'],
    [{ expires_in: 600.5 }, 'from 600 to 86400'],
    [{ user: 'root' }, 'Unknown attribute'],
    [[], 'JSON object'],
    [{ role: 'editor' }, 'editor of one "namespace"'],
    [{ role: 'admin', namespace: 'shop' }, 'admin of everything'],
  ])('refuses %j', async (body, sentence) => {
    const answer = await post(await given(), body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(sentence)])
  })

  it('refuses a time that is given twice', async () => {
    expect((await post(await given(), { expires_in: 600 }, ROOT, '?expires_in=700')).status).toBe(400)
  })

  it('edits no namespace in which a member keeps credentials', async () => {
    const member = await givenCluster(lab, { name: 'both' })
    const hosted = { hostcluster_id: member, driver: 'selfhost@1', properties: { namespace: 'etcd' } }
    expect((await lab.call('POST', '/v1/federations', { body: hosted })).status).toBe(202)
    const { id } = await givenFederation(lab, { name: 'fleet', driver: 'platform@1', members: [member] })
    const refused = await post(id, { role: 'editor', namespace: 'etcd' }, BEN)
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining('in its member "both"'),
    ])
    expect((await post(id, { role: 'viewer', namespace: 'etcd' }, BEN)).status).toBe(200)
    expect((await post(id, { role: 'editor', namespace: 'shop' }, BEN)).status).toBe(200)
    const other = { hostcluster_id: member, driver: 'selfhost@1', properties: { namespace: 'shop' } }
    const later = await lab.call('POST', '/v1/federations', { body: other })
    expect([later.status, later.body.errors[0].detail]).toEqual([409, expect.stringContaining('ben can edit')])
  })

  it('leaves GET to administrators', async () => {
    const id = await given()
    const get = async (as: Principal) => (await lab.call('GET', `/v1/federations/${id}/kubeconfig`, { as })).status
    expect([await get(ROOT), await get(BEN), await get(RITA)]).toEqual([200, 403, 403])
  })

  it('is for policies to decide, by role and namespace', async () => {
    const text = `
      permit (principal in Role::"member", action == Action::"federation:kubeconfig", resource)
      when { context has role && context.role == "admin" && resource.project == principal.project };
      forbid (principal, action == Action::"federation:kubeconfig", resource)
      when { context has role && context.role == "viewer" && !(context has namespace) };`
    const app = lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })
    const path = `/v1/federations/${await given()}/kubeconfig`
    const of = async (as: Principal, body: object) => (await callApp(app, 'POST', path, { as, body })).status
    expect([
      await of(BEN, { role: 'admin' }),
      await of(ROOT, { role: 'viewer' }),
      await of(RITA, { role: 'viewer', namespace: 'shop' }),
    ]).toEqual([200, 403, 200])
  })

  it('is shown with the driver', async () => {
    const { federation } = (await lab.call('GET', '/v1/drivers/platform@1')).body
    expect(federation.kubeconfig_roles).toEqual({ viewer: ['all', 'namespace'], editor: ['namespace'], admin: ['all'] })
    expect((await lab.call('GET', '/v1/drivers/memory@1')).body.federation.kubeconfig_roles).toEqual({})
  })
})
