import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { endMembership, givenCluster, givenFederation, readFederation } from '../../support/api/entities.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { READER } from '../../support/api/request.ts'

let lab: ApiLab
let id: string
let host: string
let member: string
beforeAll(async () => {
  lab = await createApiLab()
  member = await givenCluster(lab, { name: 'edge' })
  const federation = await givenFederation(lab, { name: 'fleet', members: [member] })
  id = federation.id
  host = federation.host
  await givenFederation(lab, { name: 'twin', host })
  await givenFederation(lab, { name: 'twin', host })
})
afterAll(() => lab.dispose())

const get = (target: string) => lab.call('GET', target)

/** magnum-rest.md 8.2. */
const PLAIN = ['uuid', 'name', 'hostcluster_id', 'member_ids', 'status', 'properties', 'links']
const DETAIL = [...PLAIN, 'status_reason', 'created_at', 'updated_at']
const OURS = [
  'driver',
  'host',
  'project_id',
  'conditions',
  'members',
  'operation',
  'endpoint',
  'certificates_renew_after',
  'member_selector',
  'excluded_ids',
  'on_unhealthy',
  'after_seconds',
  'on_healthy',
  'left_unhealthy_ids',
]

describe('section 8.2: representation', () => {
  it('of the plain list has exactly Magnum’s keys', async () => {
    expect(Object.keys((await get('/v1/federations')).body.federations[0]).sort()).toEqual([...PLAIN].sort())
  })

  it.each(['/v1/federations/detail', 'one'])('of %s has Magnum’s keys and ours', async (target) => {
    const { body } = await get(target === 'one' ? `/v1/federations/${id}` : target)
    expect(Object.keys(body.federations?.[0] ?? body).sort()).toEqual([...DETAIL, ...OURS].sort())
  })

  it('is the same in detail and alone', async () => {
    const { body } = await get('/v1/federations/detail')
    expect(body.federations.find(({ uuid }: { uuid: string }) => uuid === id)).toEqual(
      (await get(`/v1/federations/${id}`)).body,
    )
  })

  it('links to itself', async () => {
    expect((await get('/v1/federations/fleet')).body.links[0].href).toBe(`${BASE_URL}/v1/federations/${id}`)
  })

  it('needs no microversion', async () => {
    const { status } = await lab.call('GET', '/v1/federations', {
      headers: { 'OpenStack-API-Version': 'container-infra 1.1' },
    })
    expect(status).toBe(200)
  })
})

describe('section 2: identifiers and lists', () => {
  it.each<[string, string, number]>([
    ['a name', 'fleet', 200],
    ['a name that two have', 'twin', 409],
    ['a name that nobody has', 'nobody', 404],
    ['an id that nobody has', '00000000-0000-4000-8000-000000000009', 404],
  ])('%s', async (_what, ident, status) => {
    expect((await get(`/v1/federations/${ident}`)).status).toBe(status)
  })

  it('follow next', async () => {
    const first = await get('/v1/federations?limit=2&sort_key=name')
    const second = await get(first.body.next.replace(BASE_URL, ''))
    expect([...first.body.federations, ...second.body.federations].map(({ name }) => name)).toEqual([
      'fleet',
      'twin',
      'twin',
    ])
  })

  it.each([
    ['sort_key=created', 400],
    ['limit=0', 400],
    ['marker=00000000-0000-4000-8000-000000000009', 404],
    ['status=CREATE_COMPLETE', 400],
  ])('refuse %s', async (query, status) => {
    expect((await get(`/v1/federations?${query}`)).status).toBe(status)
  })

  it('are for readers too', async () => {
    expect((await lab.call('GET', `/v1/federations/${id}`, { as: READER })).status).toBe(200)
  })
})

describe('members', () => {
  it('are listed with state and name at the control plane', async () => {
    const { body } = await get(`/v1/federations/${id}/members`)
    expect(body).toEqual({
      members: [
        { cluster_id: member, name: 'edge', state: 'Ready', reason: null, message: null, since: expect.any(String) },
      ],
    })
  })

  it.each(['edge', 'id'])('are shown by %s', async (by) => {
    const { body } = await get(`/v1/federations/fleet/members/${by === 'id' ? member : by}`)
    expect(body).toMatchObject({ cluster_id: member, operation: null, credential: null, leftovers: [] })
  })

  it('that are none are 404', async () => {
    expect((await get(`/v1/federations/${id}/members/${host}`)).status).toBe(404)
  })

  it('whose join failed stay with their reason, and out of member_ids', async () => {
    const cluster = await givenCluster(lab)
    const { id: other } = await givenFederation(lab, { members: [cluster] })
    await endMembership(lab, other, cluster, 'JoinFailed')
    expect((await get(`/v1/federations/${other}`)).body).toMatchObject({
      member_ids: [],
      members: [{ cluster_id: cluster, state: 'JoinFailed', reason: 'ConnectTimedOut', message: 'It did not answer.' }],
    })
  })
})

describe('events', () => {
  it('are read in pages', async () => {
    const { id: own } = await givenFederation(lab)
    await lab.call('DELETE', `/v1/federations/${own}`)
    const first = await get(`/v1/federations/${own}/events?limit=1`)
    const second = await get(first.body.next.replace(BASE_URL, ''))
    expect([first, second].map(({ body }) => body.events[0].action)).toEqual(['create', 'delete'])
  })

  it('outlive their federation', async () => {
    const { id: own } = await givenFederation(lab)
    await lab.stores.commit([lab.stores.federations.remove(await readFederation(lab, own))])
    expect((await get(`/v1/federations/${own}/events`)).body.events).toHaveLength(1)
    expect((await get(`/v1/federations/${own}`)).status).toBe(404)
  })

  it.each(['nobody', '00000000-0000-4000-8000-000000000009'])('of %s are 404', async (ident) => {
    expect((await get(`/v1/federations/${ident}/events`)).status).toBe(404)
  })
})

describe('section 8.5: DELETE', () => {
  const remove = (ident: string, query = '') => lab.call('DELETE', `/v1/federations/${ident}${query}`)
  const flowsOf = (own: string) =>
    lab.executions.starts.filter(({ flow, input }) => flow === 'federation-delete' && input.entityId === own)

  it('is 204, before which it reads DELETE_IN_PROGRESS', async () => {
    const { id: own } = await givenFederation(lab)
    expect(await remove(own)).toMatchObject({ status: 204, text: '' })
    const { body } = await get(`/v1/federations/${own}`)
    expect([body.status, body.operation.kind, flowsOf(own).length]).toEqual(['DELETE_IN_PROGRESS', 'delete', 1])
  })

  it('replaces a running create', async () => {
    const { body } = await lab.call('POST', '/v1/federations', { body: { hostcluster_id: host } })
    const { operation: create } = await readFederation(lab, body.uuid)
    await remove(body.uuid)
    expect((await readFederation(lab, body.uuid)).operation?.supersedes).toEqual([
      { flow: 'federation-create', name: `${create?.id}-1` },
    ])
  })

  it('keeps the members for the flow to unjoin', async () => {
    const cluster = await givenCluster(lab)
    const { id: own } = await givenFederation(lab, { members: [cluster] })
    await remove(own)
    expect((await get(`/v1/federations/${own}`)).body.member_ids).toEqual([cluster])
  })

  it('again is 204 and starts no second flow', async () => {
    const { id: own } = await givenFederation(lab)
    await remove(own)
    expect([(await remove(own)).status, flowsOf(own).length]).toEqual([204, 1])
  })

  it('again with force makes it a forced one, once', async () => {
    const { id: own } = await givenFederation(lab)
    await remove(own)
    const first = (await readFederation(lab, own)).operation
    await remove(own, '?force=true')
    await remove(own, '?force=true')
    expect((await readFederation(lab, own)).operation).toMatchObject({
      force: true,
      supersedes: [{ flow: 'federation-delete', name: `${first?.id}-1` }],
    })
    expect(flowsOf(own)).toHaveLength(2)
  })

  it('tries again after DELETE_FAILED', async () => {
    const { id: own } = await givenFederation(lab)
    const failed: Partial<Federation> = {
      status: 'DELETE_FAILED',
      statusReason: 'edge did not answer',
      operation: null,
    }
    await lab.stores.commit([lab.stores.federations.change(await readFederation(lab, own), failed)])
    await remove(own)
    expect(await readFederation(lab, own)).toMatchObject({ status: 'DELETE_IN_PROGRESS', statusReason: null })
  })

  it('many at once start one flow', async () => {
    const { id: own } = await givenFederation(lab)
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(own)))
    expect([new Set(answers.map(({ status }) => status)), flowsOf(own).length]).toEqual([new Set([204]), 1])
  })

  it.each<[string, string, number]>([
    ['an unknown one', 'nobody', 404],
    ['an ambiguous one', 'twin', 409],
  ])('of %s is refused', async (_what, ident, status) => {
    expect((await remove(ident)).status).toBe(status)
  })

  it('refuses an unreadable force', async () => {
    expect((await remove(id, '?force=perhaps')).status).toBe(400)
  })

  it('by a reader is 403', async () => {
    expect((await lab.call('DELETE', `/v1/federations/${id}`, { as: READER })).status).toBe(403)
  })
})
