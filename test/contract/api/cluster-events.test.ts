import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster, readCluster } from '../../support/api/entities.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const get = (target: string, as: Principal = ALICE) => lab.call('GET', target, { as })
const actionsIn = (body: { events: { action: string }[] }): string[] => body.events.map(({ action }) => action)

describe('GET /v1/clusters/{cluster}/events', () => {
  it('lists what happened in pages, oldest first, by name too', async () => {
    const id = await givenCluster(lab, { name: 'told' })
    await lab.call('DELETE', `/v1/clusters/${id}`)
    expect(actionsIn((await get('/v1/clusters/told/events')).body)).toEqual(['create', 'delete'])
    const first = await get(`/v1/clusters/${id}/events?limit=1`)
    const second = await get(first.body.next.replace(BASE_URL, ''))
    expect([first, second].flatMap(({ body }) => actionsIn(body))).toEqual(['create', 'delete'])
  })

  it('outlives the cluster, for its project alone', async () => {
    const id = await givenCluster(lab)
    await lab.stores.commit([lab.stores.clusters.remove(await readCluster(lab, id))])
    expect((await get(`/v1/clusters/${id}`)).status).toBe(404)
    expect(actionsIn((await get(`/v1/clusters/${id}/events`)).body)).toEqual(['create'])
    expect((await get(`/v1/clusters/${id}/events`, BOB)).status).toBe(404)
  })

  it('of a cluster of another project is for administrators', async () => {
    const id = await givenCluster(lab)
    expect((await get(`/v1/clusters/${id}/events`, BOB)).status).toBe(404)
    const admin = { ...BOB, roles: ['admin'] as const }
    expect(actionsIn((await get(`/v1/clusters/${id}/events`, admin)).body)).toEqual(['create'])
  })

  it.each(['nobody', '00000000-0000-4000-8000-000000000009'])('of %s is 404', async (ident) => {
    expect((await get(`/v1/clusters/${ident}/events`)).status).toBe(404)
  })
})

describe('a health that somebody reports', () => {
  it('is told as theirs, and not as an observation', async () => {
    const id = await givenCluster(lab)
    await lab.call('PATCH', `/v1/clusters/${id}`, {
      body: [{ op: 'replace', path: '/health_status', value: 'UNHEALTHY' }],
    })
    const { events } = (await lab.call('GET', `/v1/clusters/${id}/events`)).body
    expect(events.at(-1)).toMatchObject({
      reason: 'ClusterUnhealthy',
      message: 'User alice reported: The cluster is unhealthy.',
    })
  })
})
