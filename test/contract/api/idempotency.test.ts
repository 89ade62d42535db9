import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster } from '../../support/api/entities.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { givenReachable } from '../../support/api/node-groups.ts'
import { BOB } from '../../support/api/request.ts'
import { gate } from '../../support/local/engine-lab.ts'

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab)
})
afterAll(() => lab.dispose())

const cluster = (key: string, body: object = {}) =>
  lab.call('POST', '/v1/clusters', { body: { driver: 'memory@1', ...body }, headers: { 'Idempotency-Key': key } })
const federation = (key: string, body: object = {}) =>
  lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, ...body }, headers: { 'Idempotency-Key': key } })

it.each<['clusters' | 'federations', typeof cluster]>([
  ['clusters', cluster],
  ['federations', federation],
])('a repeated POST of %s gets the first one’s answer and starts nothing', async (what, post) => {
  const first = await post(`again-${what}`, { name: 'a' })
  const before = lab.executions.starts.length
  const second = await post(`again-${what}`, { name: 'a' })
  expect([second.status, second.body, lab.executions.starts.length]).toEqual([202, first.body, before])
})

it.each<[string, typeof cluster]>([
  ['clusters', cluster],
  ['federations', federation],
])('ten POSTs of %s at once make one', async (what, post) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(`at-once-${what}`)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ body }) => body.uuid)).size).toBe(1)
})

const AT_ONCE = Array.from({ length: 10 }, (_, index) => index)

/** Sends a request ten times at once, under one key; gives the answers as one text each, so that those that are the same show as one. */
const answersOf = async (
  send: (headers: Record<string, string>) => Promise<Answer>,
  key: string,
): Promise<string[]> => {
  const headers = { 'Idempotency-Key': key, 'OpenStack-API-Version': 'container-infra latest' }
  const answers = await Promise.all(AT_ONCE.map(() => send(headers)))
  return [...new Set(answers.map(({ status, body }) => `${status} ${body.uuid ?? JSON.stringify(body)}`))]
}

const UUID_TAKEN_BY_ALL = '1cc7d1f1-4ea2-4cf0-8b1c-8f7e9f6e0a11'

it('ten POSTs at once of a node group, whose name only one can have, are all answered as the first', async () => {
  const id = await givenReachable(lab)
  const post = (headers: Record<string, string>) =>
    lab.call('POST', `/v1/clusters/${id}/nodegroups`, { headers, body: { name: 'pool' } })
  expect(await answersOf(post, 'group-at-once')).toEqual([expect.stringMatching(/^202 /)])
})

it('ten POSTs at once of a template with a uuid of its own are all answered as the first', async () => {
  const body = { coe: 'kubernetes', image_id: 'x', uuid: UUID_TAKEN_BY_ALL }
  const post = (headers: Record<string, string>) => lab.call('POST', '/v1/clustertemplates', { headers, body })
  expect(await answersOf(post, 'template-at-once')).toEqual([`201 ${UUID_TAKEN_BY_ALL}`])
})

it('ten POSTs at once of a quota are all answered as the first', async () => {
  const body = { project_id: 'at-once', hard_limit: 3 }
  const post = (headers: Record<string, string>) => lab.call('POST', '/v1/quotas', { headers, body })
  expect(await answersOf(post, 'quota-at-once')).toEqual([expect.stringMatching(/^201 /)])
})

/** Member of a project of their own, without clusters. */
const loner = (projectId: string): Principal => ({ userId: 'lea', projectId, roles: ['member'], source: 'token-file' })

describe('at the edge of the quota', () => {
  const post = (as: Principal, headers: Record<string, string>) =>
    callApp(lab.appWith({ clustersPerProject: 1 }), 'POST', '/v1/clusters', {
      as,
      headers,
      body: { driver: 'memory@1' },
    })

  it('ten POSTs at once are all answered as the first', async () => {
    const answers = await answersOf((headers) => post(loner('edge'), headers), 'edge-at-once')
    expect(answers).toEqual([expect.stringMatching(/^202 /)])
  })

  it('one that finds the place taken by the first, which is not stored yet, waits for it', async () => {
    const { commit } = lab.stores
    const [taken, refused] = [gate(), gate()]
    lab.stores.commit = async (writes) => {
      taken.open()
      await refused.passed
      await commit(writes)
    }
    const { get } = lab.stores.idempotency
    const key = { 'Idempotency-Key': 'edge-held' }
    const first = post(loner('held'), key)
    await taken.passed
    let looks = 0
    lab.stores.idempotency.get = (...asked) => {
      if (++looks === 3) refused.open()
      return get(...asked)
    }
    const second = await post(loner('held'), key).finally(() => {
      refused.open()
      Object.assign(lab.stores, { commit })
      Object.assign(lab.stores.idempotency, { get })
    })
    expect([second.status, second.body.uuid]).toEqual([202, (await first).body.uuid])
  })

  it('one that is really beyond it is refused', async () => {
    await post(loner('full'), {})
    expect((await post(loner('full'), { 'Idempotency-Key': 'beyond' })).status).toBe(403)
  })
})

it('a key that another request took meanwhile is 409, whatever else would be refused', async () => {
  const post = (image_id: string) =>
    lab.call('POST', '/v1/clustertemplates', {
      headers: { 'Idempotency-Key': 'reused-at-once' },
      body: { coe: 'kubernetes', image_id, uuid: '5cc7d1f1-4ea2-4cf0-8b1c-8f7e9f6e0a15' },
    })
  const answers = await Promise.all([post('a'), post('b')])
  const refused = answers.find(({ status }) => status !== 201)
  expect([refused?.status, refused?.body.errors[0].detail]).toEqual([409, expect.stringContaining('Idempotency-Key')])
})

it('the same key with another body is 409', async () => {
  await cluster('other-body', { name: 'a' })
  expect((await cluster('other-body', { name: 'b' })).status).toBe(409)
})

it('the same key for another kind is 409', async () => {
  await cluster('other-kind')
  expect((await federation('other-kind')).status).toBe(409)
})

it('the order of attributes does not matter', async () => {
  const first = await cluster('order', { name: 'a', keypair: 'k' })
  expect((await cluster('order', { keypair: 'k', name: 'a' })).body).toEqual(first.body)
})

it('another project’s key is another key', async () => {
  const { body } = await cluster('shared')
  const theirs = await lab.call('POST', '/v1/clusters', {
    as: BOB,
    body: { driver: 'memory@1' },
    headers: { 'Idempotency-Key': 'shared' },
  })
  expect([theirs.status, theirs.body.uuid === body.uuid]).toEqual([202, false])
})

it('a refused POST leaves the key free', async () => {
  expect((await federation('refused', { hostcluster_id: 'nobody' })).status).toBe(404)
  expect((await federation('refused')).status).toBe(202)
})

it.each(['', 'with space', 'x'.repeat(256)])('the key "%s" is 400', async (key) => {
  expect((await cluster(key)).status).toBe(400)
})
