import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../../functions/api/routes.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster, givenFederation } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB, type CallOptions } from '../../support/api/request.ts'

/** Issue 3, point 9: another project's objects are 404 and in no list. */

let lab: ApiLab
let cluster: string
let member: string
let federation: string
beforeAll(async () => {
  lab = await createApiLab()
  member = await givenCluster(lab, { name: 'their-member' })
  const given = await givenFederation(lab, { name: 'their-fleet', members: [member] })
  cluster = given.host
  federation = given.id
})
afterAll(() => lab.dispose())

/** Every route of an object, with its own kind of body. */
const OBJECT_ROUTES = ROUTES.filter(({ path }) => /\{(?:cluster|federation)\}/.test(path)).map(
  ({ method, path }) => [method, path] as const,
)

/** Somebody of another project who may call it at all: whoever may not is reported so before anything is looked for. */
const strangerTo = (path: string): Principal => (path.endsWith('/kubeconfig') ? { ...BOB, roles: ['admin'] } : BOB)

/** Bodies that get as far as to the object; of the others, an empty patch. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/clusters/{cluster}/actions/resize': { node_count: 1 },
  'POST /v1/clusters/{cluster}/actions/upgrade': { cluster_template: 'any', max_batch_size: 1 },
  'POST /v1/clusters/{cluster}/actions/observe': {},
  'POST /v1/clusters/{cluster}/hooks': { name: 'any' },
  'POST /v1/clusters/{cluster}/nodegroups': { name: 'any' },
  'POST /v1/federations/{federation}/actions/release-selector': {},
  'POST /v1/federations/{federation}/actions/rotate-members': {},
  'POST /v1/federations/{federation}/members/{cluster}/actions/rotate': {},
  'POST /v1/clusters/{cluster}/kubeconfig': {},
  'POST /v1/federations/{federation}/kubeconfig': {},
  'POST /v1/clusters/{cluster}/grants': { project_id: 'red', actions: ['join'] },
  'PATCH /v1/certificates/{cluster}': {},
  'PATCH /v1/credentials/{cluster}': {},
}

const callAs = (as: Exclude<CallOptions['as'], undefined>, method: string, path: string, by: 'id' | 'name') =>
  lab.call(method, fill(path, by), {
    as,
    body: BODIES[`${method} ${path}`] ?? [],
    headers: { 'OpenStack-API-Version': 'container-infra latest' },
  })

const fill = (path: string, by: 'id' | 'name'): string =>
  path
    .replace('/members/{cluster}', `/members/${member}`)
    .replace('{cluster}', by === 'id' ? cluster : 'their-member')
    .replace('{federation}', by === 'id' ? federation : 'their-fleet')

describe('an object of another project', () => {
  it('is tested on every route', () => {
    expect(OBJECT_ROUTES.length).toBeGreaterThanOrEqual(9)
  })

  it.each(OBJECT_ROUTES)('%s %s is 404 by id', async (method, path) => {
    expect((await callAs(strangerTo(path), method, path, 'id')).status).toBe(404)
  })

  it.each(OBJECT_ROUTES)('%s %s is 404 by name', async (method, path) => {
    expect((await callAs(strangerTo(path), method, path, 'name')).status).toBe(404)
  })

  it.each(['/v1/clusters', '/v1/clusters/detail', '/v1/clusters?sort_key=name'])('is not in %s', async (target) => {
    expect((await lab.call('GET', target, { as: BOB })).body.clusters).toEqual([])
  })

  it.each(['/v1/federations', '/v1/federations/detail'])('is not in %s', async (target) => {
    expect((await lab.call('GET', target, { as: BOB })).body.federations).toEqual([])
  })

  it('as a marker says no more than an id that nobody has', async () => {
    const pageAfter = (marker: string) => lab.call('GET', `/v1/clusters?marker=${marker}`, { as: BOB })
    const [there, nowhere] = [await pageAfter(cluster), await pageAfter('01930000-0000-7000-8000-000000000000')]
    expect([there.status, there.body, nowhere.status, nowhere.body]).toEqual([
      200,
      { clusters: [] },
      200,
      { clusters: [] },
    ])
  })

  it('can not be a host', async () => {
    const body = { hostcluster_id: cluster }
    expect((await lab.call('POST', '/v1/federations', { as: BOB, body })).status).toBe(404)
  })

  it('can not be a member at creation', async () => {
    const body = { hostcluster_id: await givenCluster(lab, { as: BOB }), member_ids: [member] }
    expect((await lab.call('POST', '/v1/federations', { as: BOB, body })).status).toBe(404)
  })

  it('can not join', async () => {
    const { id } = await givenFederation(lab)
    const foreign = await givenCluster(lab, { as: BOB })
    const body = [{ op: 'add', path: '/member_ids', value: foreign }]
    expect((await lab.call('PATCH', `/v1/federations/${id}`, { body })).status).toBe(404)
  })

  it.each([
    ['id', () => [cluster, member]],
    ['name', () => ['their-host', 'their-member']],
  ])('is informed of by a dry run no more than what is not there, by %s', async (_, theirs) => {
    const own = await givenCluster(lab, { as: BOB })
    for (const known of theirs()) {
      const unknown = known.includes('their') ? 'their-nobody' : '0190c0de-0000-7000-8000-000000000000'
      const asked = async (id: string) => {
        const answers = [
          await lab.call('POST', '/v1/federations?dry_run=true', { as: BOB, body: { hostcluster_id: id } }),
          await lab.call('POST', '/v1/federations?dry_run=true', {
            as: BOB,
            body: { hostcluster_id: own, member_ids: [id] },
          }),
        ]
        return answers.map(({ status, body }) => [status, String(body.errors?.[0]?.detail).replaceAll(id, 'IT')])
      }
      const told = await asked(known)
      expect(told.map(([status]) => status)).toEqual([404, 404])
      expect(told).toEqual(await asked(unknown))
    }
  })

  it.each([
    ['/v1/stats', 200],
    ['/v1/quotas', 403],
    ['/v1/stats?project_id=blue', 403],
    ['/v1/clusters?name=their-member', 400],
    ['/v1/federations?name=their-fleet', 400],
    ['/v1/openapi.json', 200],
  ])('is not told of by %s (%d)', async (target, expected) => {
    const { status, text } = await lab.call('GET', target, { as: BOB })
    expect(status).toBe(expected)
    for (const theirs of [cluster, member, federation]) expect(text).not.toContain(theirs)
  })

  it('is not told of by the refusal of one with the same name', async () => {
    const body = { driver: 'memory@1', name: 'their-member' }
    expect((await lab.call('POST', '/v1/clusters', { as: BOB, body })).status).toBe(202)
  })

  it('is untouched by all that', async () => {
    expect((await lab.call('GET', `/v1/federations/${federation}`)).body.status).toBe('CREATE_COMPLETE')
  })
})

describe('an admin of another project', () => {
  it('sees no federation of this one (magnum-rest.md section 2)', async () => {
    const admin = { ...BOB, roles: ['admin'] as const }
    expect((await lab.call('GET', `/v1/federations/${federation}`, { as: admin })).status).toBe(404)
  })
})

describe('every route of a principal', () => {
  const routes = ROUTES.filter(({ access }) => access !== 'none').map(({ method, path }) => [method, path] as const)

  it.each(routes)('%s %s is 401 for nobody', async (method, path) => {
    expect((await callAs(null, method, path, 'id')).status).toBe(401)
  })

  it.each(routes)('%s %s is 403 without a role', async (method, path) => {
    expect((await callAs({ ...BOB, roles: [] }, method, path, 'id')).status).toBe(403)
  })
})
