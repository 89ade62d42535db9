import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenCluster, givenFederation, readCluster, readFederation } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

/** Issue 3, points 7 and 8: no lost update, no doubled flow, no 5xx, 409 where two changes exclude each other. */

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown) => lab.call('PATCH', `/v1/federations/${id}`, { body })
const startsOf = (flow: string, entity: string) =>
  lab.executions.starts.filter((start) => start.flow === flow && start.input.entityId.startsWith(entity))

it('200 POSTs at once make 200 clusters', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      lab.call('POST', '/v1/clusters', { body: { driver: 'memory@1', name: `c${n}` } }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  const ids = new Set(answers.map(({ body }) => body.uuid))
  const { body } = await lab.call('GET', '/v1/clusters')
  expect([ids.size, body.clusters.length, startsOf('cluster-create', '').length]).toEqual([200, 200, 200])
}, 60_000)

it('50 federations on one host at once all mark it', async () => {
  const host = await givenCluster(lab)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => lab.call('POST', '/v1/federations', { body: { hostcluster_id: host } })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect((await readCluster(lab, host)).uses).toHaveLength(50)
})

describe('two PATCHes at once', () => {
  it('that join different members both count', async () => {
    const { id } = await givenFederation(lab)
    const clusters = [await givenCluster(lab), await givenCluster(lab)]
    const answers = await Promise.all(clusters.map((value) => patch(id, [{ op: 'add', path: '/member_ids', value }])))
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect((await readFederation(lab, id)).memberIds).toEqual(clusters.toSorted())
    expect(startsOf('member-join', id)).toHaveLength(2)
  })

  it('that join the same member: one counts', async () => {
    const { id } = await givenFederation(lab)
    const value = await givenCluster(lab)
    const answers = await Promise.all([1, 2].map(() => patch(id, [{ op: 'add', path: '/member_ids', value }])))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409])
    expect(startsOf('member-join', id)).toHaveLength(1)
  })

  it('that change properties: one counts', async () => {
    const { id } = await givenFederation(lab)
    const answers = await Promise.all(
      ['x', 'y'].map((key) => patch(id, [{ op: 'add', path: `/properties/${key}`, value: '1' }])),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409])
    expect([
      startsOf('federation-update', id).length,
      Object.keys((await readFederation(lab, id)).properties).length,
    ]).toEqual([1, 1])
  })

  it('of a member and of properties both count', async () => {
    const { id } = await givenFederation(lab)
    const value = await givenCluster(lab)
    const answers = await Promise.all([
      patch(id, [{ op: 'add', path: '/member_ids', value }]),
      patch(id, [{ op: 'add', path: '/properties/x', value: '1' }]),
    ])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(await readFederation(lab, id)).toMatchObject({ memberIds: [value], properties: { x: '1' } })
  })

  it('even ten: every one counts', async () => {
    const { id } = await givenFederation(lab)
    const clusters = await Promise.all(Array.from({ length: 10 }, () => givenCluster(lab)))
    const answers = await Promise.all(clusters.map((value) => patch(id, [{ op: 'add', path: '/member_ids', value }])))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect((await readFederation(lab, id)).memberIds).toEqual(clusters.toSorted())
  })
})

it('deleting a cluster while it joins: never both', async () => {
  const { id } = await givenFederation(lab)
  for (let round = 0; round < 10; round++) {
    const value = await givenCluster(lab)
    const [join, remove] = await Promise.all([
      patch(id, [{ op: 'add', path: '/member_ids', value }]),
      lab.call('DELETE', `/v1/clusters/${value}`),
    ])
    expect([202, 409]).toContain(join.status)
    expect(remove.status).toBe(join.status === 202 ? 409 : 204)
  }
})

it('deleting a cluster that was taken after it was read is 409 naming the federation', async () => {
  const { id } = await givenFederation(lab, { name: 'quicker' })
  const value = await givenCluster(lab)
  const stale = await readCluster(lab, value)
  await patch(id, [{ op: 'add', path: '/member_ids', value }])
  const { locate } = lab.stores.clusters
  lab.stores.clusters.locate = async () => {
    lab.stores.clusters.locate = locate
    return stale
  }
  const { status, body } = await lab.call('DELETE', `/v1/clusters/${value}`)
  expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining(`"quicker" (${id})`)])
})

it('deleting a federation while it is patched: the deletion stands', async () => {
  const { id } = await givenFederation(lab)
  const value = await givenCluster(lab)
  const [, remove] = await Promise.all([
    patch(id, [{ op: 'add', path: '/member_ids', value }]),
    lab.call('DELETE', `/v1/federations/${id}`),
  ])
  expect([remove.status, (await readFederation(lab, id)).status]).toEqual([204, 'DELETE_IN_PROGRESS'])
})
