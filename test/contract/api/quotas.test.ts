import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterLimit } from '../../../functions/api/quotas/read-quotas.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

/** magnum-rest.md 7.3, section 11 rows 19 and 20, 13.6. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

let projects = 0
const newProject = (): string => `project-${++projects}`
const quotaOf = (project: string, resource = 'Cluster') => `/v1/quotas/${project}/${resource}`
const create = (body: unknown, as: Principal = ALICE) => lab.call('POST', '/v1/quotas', { body, as })
const given = async (project: string, hard_limit = 5) => (await create({ project_id: project, hard_limit })).body
const inProject = (projectId: string, ...roles: Principal['roles']): Principal => ({ ...BOB, projectId, roles })

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/)

describe('POST /v1/quotas', () => {
  it('answers 201 with the quota', async () => {
    const project = newProject()
    const answer = await create({ project_id: project, resource: 'Cluster', hard_limit: 7 })
    expect(answer.status).toBe(201)
    const id = answer.body.id
    expect(answer.body).toEqual({
      id,
      project_id: project,
      resource: 'Cluster',
      hard_limit: 7,
      created_at: TIME,
      updated_at: null,
    })
    expect(Number.isInteger(id)).toBe(true)
  })

  it.each([
    ['without resource and limit', {}],
    ['with null for both', { resource: null, hard_limit: null }],
    ['with an id, which Magnum takes and drops', { id: 4711 }],
  ])('takes the defaults %s', async (_what, extra) => {
    const { status, body } = await create({ project_id: newProject(), ...extra })
    expect([status, body.resource, body.hard_limit]).toEqual([201, 'Cluster', 1])
    expect(body.id).not.toBe(4711)
  })

  it('takes numbers as text, and 0', async () => {
    expect((await create({ project_id: newProject(), hard_limit: '12' })).body.hard_limit).toBe(12)
    expect((await create({ project_id: newProject(), hard_limit: 0 })).body.hard_limit).toBe(0)
  })

  it('says once what is wrong with an integer beyond 2^53', async () => {
    const { body } = await create({ project_id: newProject(), hard_limit: 2 ** 53 })
    expect(body.errors[0].detail).toBe('"hard_limit" must be an integer from 0 to 2147483647.')
  })

  it('says why a project with a slash is refused', async () => {
    const { body } = await create({ project_id: 'a/b' })
    expect(body.errors[0].detail).toMatch(/^"project_id" must have no "\/" .*as a segment\.$/)
  })

  // The gateway gives paths with their escapes decoded.
  it.each(['a b', 'ä', 'a%b', 'a#b', 'a\\b', '...'])(
    'makes the quota of project %j reachable by its path',
    async (project) => {
      await given(project, 9)
      const answer = await lab.call('GET', quotaOf(project))
      expect([answer.status, answer.body.hard_limit]).toEqual([200, 9])
    },
  )

  it.each<[string, unknown]>([
    ['no project', { hard_limit: 1 }],
    ['an empty project', { project_id: '' }],
    ['a project of 256 characters', { project_id: 'p'.repeat(256) }],
    ['a project with a slash', { project_id: 'a/b' }],
    ['a project of one dot', { project_id: '.' }],
    ['a project of two dots', { project_id: '..' }],
    ['a limit beyond 2^53', { project_id: 'p', hard_limit: 2 ** 53 }],
    ['an unknown resource', { project_id: 'p', resource: 'Node' }],
    ['a limit below 0', { project_id: 'p', hard_limit: -1 }],
    ['a limit that is no integer', { project_id: 'p', hard_limit: 1.5 }],
    ['an unknown attribute', { project_id: 'p', limit: 1 }],
    ['a read-only attribute', { project_id: 'p', created_at: null }],
    ['a list', [{ project_id: 'p' }]],
    ['no body', undefined],
  ])('refuses %s with 400', async (_what, body) => {
    expect((await create(body)).status).toBe(400)
    expect((await lab.call('GET', quotaOf('p'))).body).not.toHaveProperty('id')
  })

  it('refuses a second one with 409, also when both come at once', async () => {
    const project = newProject()
    const statuses = await Promise.all([1, 2, 3].map(async () => (await create({ project_id: project })).status))
    expect(statuses.sort()).toEqual([201, 409, 409])
    expect((await create({ project_id: project })).status).toBe(409)
  })
})

describe('GET /v1/quotas/{project}/{resource}', () => {
  it('shows the quota', async () => {
    const project = newProject()
    const quota = await given(project)
    expect(await lab.call('GET', quotaOf(project))).toMatchObject({ status: 200, body: quota })
  })

  it('shows the default where none is set (row 20)', async () => {
    const project = newProject()
    const { status, body } = await lab.call('GET', quotaOf(project, 'Cluster'))
    expect([status, body]).toEqual([200, { project_id: project, resource: 'Cluster', hard_limit: 1000 }])
  })

  it.each(['cluster', 'Foo', 'federation', '__proto__'])('shows none of %s, as POST takes none', async (resource) => {
    const { status, body } = await lab.call('GET', quotaOf(newProject(), resource))
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('must be one of "Cluster"')])
  })

  it('shows the default for a project that is too long to have one', async () => {
    expect(await lab.call('GET', quotaOf('p'.repeat(3000)))).toMatchObject({ status: 200, body: { hard_limit: 1000 } })
  })

  it('shows readers their own and not that of others', async () => {
    const project = newProject()
    expect((await lab.call('GET', quotaOf(project), { as: inProject(project, 'reader') })).status).toBe(200)
    const { status, body } = await lab.call('GET', quotaOf(project), { as: BOB })
    expect(status).toBe(403)
    expect(body.errors[0].detail).toContain('quota:get')
  })
})

describe('PATCH /v1/quotas/{project}/{resource}', () => {
  const patch = (project: string, body: unknown, as: Principal = ALICE) =>
    lab.call('PATCH', quotaOf(project), { body, as })

  it('answers 202 with the whole quota', async () => {
    const project = newProject()
    const quota = await given(project)
    const answer = await patch(project, { hard_limit: 9 })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ ...quota, hard_limit: 9, updated_at: TIME })
    expect((await lab.call('GET', quotaOf(project))).body).toEqual(answer.body)
  })

  it('takes what the CLI sends', async () => {
    const project = newProject()
    await given(project)
    const answer = await patch(project, { project_id: project, resource: 'Cluster', hard_limit: 3 })
    expect(answer).toMatchObject({ status: 202, body: { hard_limit: 3 } })
  })

  it('makes it 1 when nothing is said', async () => {
    const project = newProject()
    await given(project, 5)
    expect(await patch(project, {})).toMatchObject({ status: 202, body: { hard_limit: 1 } })
  })

  it('changes the project of the path, whatever the body says', async () => {
    const [project, other] = [newProject(), newProject()]
    await given(project)
    await given(other, 4)
    expect((await patch(project, { project_id: other, hard_limit: 8 })).body.project_id).toBe(project)
    expect((await lab.call('GET', quotaOf(other))).body.hard_limit).toBe(4)
  })

  it('is 404 where none is set', async () => {
    expect((await patch(newProject(), { hard_limit: 1 })).status).toBe(404)
    const project = newProject()
    await given(project)
    expect((await lab.call('PATCH', quotaOf(project, 'Node'), { body: {} })).status).toBe(404)
  })

  it.each<[string, unknown]>([
    ['a JSON Patch', [{ op: 'replace', path: '/hard_limit', value: 2 }]],
    ['a limit below 0', { hard_limit: -1 }],
    ['another resource', { resource: 'Node' }],
    ['no body', undefined],
  ])('refuses %s with 400', async (_what, body) => {
    const project = newProject()
    await given(project, 5)
    expect((await patch(project, body)).status).toBe(400)
    expect((await lab.call('GET', quotaOf(project))).body.hard_limit).toBe(5)
  })

  it('takes changes that come at once, one after the other', async () => {
    const project = newProject()
    await given(project)
    const answers = await Promise.all([11, 12, 13].map((hard_limit) => patch(project, { hard_limit })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  })
})

describe('DELETE /v1/quotas/{project}/{resource}', () => {
  it('answers 204, and the default holds again', async () => {
    const project = newProject()
    await given(project)
    expect(await lab.call('DELETE', quotaOf(project))).toMatchObject({ status: 204, text: '' })
    expect((await lab.call('GET', quotaOf(project))).body.hard_limit).toBe(1000)
    expect((await lab.call('DELETE', quotaOf(project))).status).toBe(404)
  })

  it('is 404 for another resource', async () => {
    const project = newProject()
    await given(project)
    expect((await lab.call('DELETE', quotaOf(project, 'Node'))).status).toBe(404)
  })
})

describe('GET /v1/quotas', () => {
  it('lists the own project only, unless told otherwise', async () => {
    const project = newProject()
    const quota = await given(project)
    const as = inProject(project, 'admin')
    expect((await lab.call('GET', '/v1/quotas', { as })).body).toEqual({ quotas: [quota] })
    expect((await lab.call('GET', '/v1/quotas', { as: inProject(newProject(), 'admin') })).body).toEqual({ quotas: [] })
    const all = await lab.call('GET', '/v1/quotas?all_tenants=True', { as })
    expect(all.body.quotas.length).toBeGreaterThan(1)
    expect(all.body.quotas).toContainEqual(quota)
  })

  it('pages through all by integer markers, and next keeps the parameters (row 19)', async () => {
    await given(newProject())
    await given(newProject())
    const all = (await lab.call('GET', '/v1/quotas?all_tenants=True')).body.quotas.map(({ id }: { id: number }) => id)
    const seen: number[] = []
    let target = '/v1/quotas?all_tenants=1&limit=1&sort_key=hard_limit&sort_dir=desc'
    while (target !== '') {
      const { status, body } = await lab.call('GET', target)
      expect(status).toBe(200)
      seen.push(...body.quotas.map(({ id }: { id: number }) => id))
      target = (body.next ?? '').replace('http://127.0.0.1:9511', '')
      if (target !== '') expect(new URLSearchParams(target.split('?')[1]).get('all_tenants')).toBe('True')
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(all)
  })

  it.each([
    ['marker=x', 400],
    ['marker=00000000-0000-4000-8000-000000000001', 400],
    ['marker=999999&all_tenants=True', 404],
    ['limit=0', 400],
    ['sort_key=uuid', 400],
    ['sort_dir=up', 400],
    ['all_tenants=perhaps', 400],
    ['name=x', 400],
  ])('answers ?%s with %i', async (query, status) => {
    expect((await lab.call('GET', `/v1/quotas?${query}`)).status).toBe(status)
  })
})

describe('whoever is no admin', () => {
  it.each([
    ['GET', '/v1/quotas', 'quota:get_all'],
    ['POST', '/v1/quotas', 'quota:create'],
    ['PATCH', '/v1/quotas/blue/Cluster', 'quota:update'],
    ['DELETE', '/v1/quotas/blue/Cluster', 'quota:delete'],
  ])('gets 403 from %s %s', async (method, target, rule) => {
    const { status, body } = await lab.call(method, target, { as: READER, body: { project_id: 'blue' } })
    expect(status).toBe(403)
    expect(body.errors[0].detail).toContain(rule)
  })
})

describe('clusterLimit', () => {
  it('is the quota of the project, else the default', async () => {
    const project = newProject()
    const request = { ports: lab.ports, settings: { clustersPerProject: 20 } as never, principal: ALICE }
    expect(await clusterLimit(request, project)).toBe(20)
    await given(project, 0)
    expect(await clusterLimit(request, project)).toBe(0)
    expect(await clusterLimit({ ...request, principal: inProject(project, 'member') })).toBe(0)
  })
})

/** Issue 17, point 8: what else a project has a limited number of. */
describe('a quota of another resource than Cluster', () => {
  it.each(['Federation', 'Member', 'ClusterTemplate', 'Operation', 'Grant', 'Trigger'])(
    'of %s is set, shown, listed beside the one of clusters, changed and removed',
    async (resource) => {
      const project = newProject()
      const usual = resource === 'Trigger' ? 50 : 1000
      expect((await lab.call('GET', quotaOf(project, resource))).body.hard_limit).toBe(usual)
      await given(project, 3)
      expect((await create({ project_id: project, resource, hard_limit: 2 })).body).toMatchObject({
        resource,
        hard_limit: 2,
      })
      expect((await create({ project_id: project, resource })).status).toBe(409)
      const listed = await lab.call('GET', '/v1/quotas', { as: inProject(project, 'admin') })
      expect(listed.body.quotas).toMatchObject([
        { resource: 'Cluster', hard_limit: 3 },
        { resource, hard_limit: 2 },
      ])
      expect((await lab.call('PATCH', quotaOf(project, resource), { body: { hard_limit: 4 } })).body.hard_limit).toBe(4)
      expect(
        (await lab.call('GET', quotaOf(project, resource), { as: inProject(project, 'reader') })).body.hard_limit,
      ).toBe(4)
      expect((await lab.call('DELETE', quotaOf(project, resource))).status).toBe(204)
      expect((await lab.call('GET', quotaOf(project, resource))).body.hard_limit).toBe(usual)
      expect((await lab.call('GET', quotaOf(project))).body.hard_limit).toBe(3)
    },
  )

  it('of none says nothing of deleting what is not there', async () => {
    const project = newProject()
    for (const resource of ['ClusterTemplate', 'Cluster']) {
      await lab.call('POST', '/v1/quotas', { body: { project_id: project, resource, hard_limit: 0 } })
    }
    const as = inProject(project, 'member')
    for (const [path, body] of [
      ['/v1/clustertemplates', { coe: 'kubernetes', image_id: 'x' }],
      ['/v1/clusters', { driver: 'memory@1' }],
    ] as const) {
      const answer = await lab.call('POST', path, { body, as })
      expect([answer.status, answer.body.errors[0].detail]).toEqual([
        403,
        expect.stringMatching(/\. Ask an administrator/),
      ])
    }
  })

  it('refuses one more with 403 and the number, and holds for that project only', async () => {
    const project = newProject()
    await create({ project_id: project, resource: 'ClusterTemplate', hard_limit: 1 })
    const make = (as: Principal) =>
      lab.call('POST', '/v1/clustertemplates', { as, body: { coe: 'kubernetes', image_id: 'fedora' } })
    const member = inProject(project, 'member')
    expect((await make(member)).status).toBe(201)
    const { status, body } = await make(member)
    expect([status, body.errors[0].detail]).toEqual([
      403,
      `Project ${project} has 1 cluster templates, this request adds 1, and the limit is 1. Delete one, or ask an administrator for a quota of ClusterTemplate (POST /v1/quotas, or PATCH /v1/quotas/${project}/ClusterTemplate).`,
    ])
    expect((await make(inProject(newProject(), 'member'))).status).toBe(201)
  })
})
