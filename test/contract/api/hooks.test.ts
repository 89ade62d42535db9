import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster, readCluster } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB, type CallOptions } from '../../support/api/request.ts'
import { sampleId } from '../../support/store/samples.ts'

let lab: ApiLab
let owner: Principal
let cluster: string
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())
beforeEach(async () => {
  owner = { ...BOB, projectId: sampleId() }
  cluster = await givenCluster(lab, { name: 'paris', as: owner })
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  lab.call(method, `/v1/clusters/${cluster}${path}`, { as: owner, ...options })
const createHook = async (name = 'alertmanager') => {
  const { status, body } = await call('POST', '/hooks', { body: { name } })
  expect(status).toBe(201)
  return body
}
const targetOf = (url: string): string => url.replace('http://127.0.0.1:9511', '')
const post = (url: string, options: CallOptions = {}) => lab.call('POST', targetOf(url), { as: null, ...options })
const request = () => lab.stores.observeRequests.get({ projectId: owner.projectId, clusterId: cluster })

describe('hooks of a cluster', () => {
  it('are created with a URL that is shown this once, listed without, and deleted', async () => {
    const { url, ...hook } = await createHook()
    expect(url).toMatch(new RegExp(`^http://127.0.0.1:9511/v1/hooks/${hook.uuid}\\?token=[A-Za-z0-9_-]{43}$`))
    expect(hook).toEqual({ uuid: expect.any(String), name: 'alertmanager', created_at: expect.any(String) })
    expect((await call('GET', '/hooks')).body).toEqual({ hooks: [hook] })
    expect((await post(url)).status).toBe(202)
    expect((await call('DELETE', `/hooks/${hook.uuid}`)).status).toBe(204)
    expect((await post(url)).status).toBe(404)
    expect((await call('DELETE', `/hooks/${hook.uuid}`)).status).toBe(404)
    expect((await call('GET', '/hooks')).body).toEqual({ hooks: [] })
  })

  it('have the cluster observed whatever is posted, of which nothing is kept', async () => {
    const { url, uuid } = await createHook()
    const bodies: [unknown, string][] = [
      [{ version: '4', status: 'resolved', alerts: [] }, 'application/json'],
      [{ specversion: '1.0', type: 'x', id: '1', source: '/' }, 'application/cloudevents+json; charset=utf-8'],
      ['a=b&marker=1', 'application/x-www-form-urlencoded'],
      ['{not JSON', 'application/json'],
    ]
    for (const [body, type] of bodies) {
      const answer = await post(url, { body, headers: { 'content-type': type, accept: 'text/html' } })
      expect([answer.status, answer.body]).toEqual([202, { uuid }])
    }
    const { askedAt, revision } = (await request())!
    expect(askedAt).not.toBeNull()
    expect(revision).toBe(1)
  })

  it('take a body of 1 MiB, and refuse more', async () => {
    const { url } = await createHook()
    expect((await post(url, { body: 'x'.repeat(1024 * 1024) })).status).toBe(202)
    expect((await post(url, { body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
  })

  it('have tokens of their own, which are neither stored nor logged', async () => {
    const [one, other] = [await createHook('one'), await createHook('other')]
    const token = new URL(one.url).searchParams.get('token')!
    for (const target of [
      one.url.replace(/token=.*/, ''),
      one.url.replace(/token=.*/, 'token='),
      one.url.replace(one.uuid, other.uuid),
      one.url.replace(token, new URL(other.url).searchParams.get('token')),
      one.url.replace(token, token.slice(0, -1)),
    ]) {
      const answer = await post(target)
      expect([target, answer.status]).toEqual([target, 404])
      expect(answer.text).not.toContain(token)
    }
    await post(one.url)
    const hooks = await lab.stores.hooks.listOf({ projectId: owner.projectId, clusterId: cluster })
    expect(JSON.stringify(hooks)).not.toContain(token)
    expect(JSON.stringify(lab.log)).not.toContain(token)
    expect(JSON.stringify(lab.log)).toContain('/v1/hooks/{hook}')
  })

  it('are refused for a while when too much is posted, each by itself, and write nothing while one waits', async () => {
    const [flooded, quiet] = [await createHook('flooded'), await createHook('quiet')]
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(flooded.url)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => ![202, 429].includes(status))).toEqual([])
    expect(refused.length).toBeGreaterThan(100)
    expect(refused[0]!.headers['retry-after']).toBe('1')
    expect((await post(quiet.url)).status).toBe(202)
    expect((await request())!.revision).toBe(1)
  })

  it('are of those who may change clusters, in their own project', async () => {
    const { uuid, url } = await createHook()
    const reader: Principal = { ...owner, roles: ['reader'] }
    const stranger: Principal = { ...owner, projectId: sampleId() }
    const status = async (method: string, path: string, as: Principal) =>
      (await call(method, path, { as, ...(path === '/hooks' && method === 'POST' ? { body: { name: 'x' } } : {}) }))
        .status
    expect(await status('POST', '/hooks', reader)).toBe(403)
    expect(await status('DELETE', `/hooks/${uuid}`, reader)).toBe(403)
    expect(await status('POST', '/actions/observe', reader)).toBe(403)
    expect(await status('GET', '/hooks', reader)).toBe(200)
    for (const [method, path] of [
      ['GET', '/hooks'],
      ['POST', '/hooks'],
      ['DELETE', `/hooks/${uuid}`],
      ['POST', '/actions/observe'],
    ] as const) {
      expect([method, path, await status(method, path, stranger)]).toEqual([method, path, 404])
    }
    expect((await post(url)).status).toBe(202)
  })

  it('are 20 of a cluster at most, and have names', async () => {
    for (let count = 0; count < 20; count++) await createHook(`hook-${count}`)
    expect((await call('POST', '/hooks', { body: { name: 'more' } })).status).toBe(409)
    expect((await call('POST', '/hooks', { body: {} })).status).toBe(400)
    expect((await call('POST', '/hooks', { body: { name: 'x', url: 'https://example.org' } })).status).toBe(400)
  })

  it('lead nowhere when the cluster is gone, and are removed then', async () => {
    const { url } = await createHook()
    await lab.stores.commit([lab.stores.clusters.remove(await readCluster(lab, cluster, owner))])
    expect((await post(url)).status).toBe(404)
    expect(await lab.stores.hooks.listOf({ projectId: owner.projectId, clusterId: cluster })).toEqual([])
    expect(await request()).toBeUndefined()
  })
})

describe('observe', () => {
  it('answers with what waits, and shows it', async () => {
    expect((await call('GET', '/actions/observe')).body).toEqual({
      uuid: cluster,
      state: 'idle',
      asked_at: null,
      begun_at: null,
      ended_at: null,
    })
    const { status, body } = await call('POST', '/actions/observe')
    expect(status).toBe(202)
    expect(body).toMatchObject({ uuid: cluster, state: 'waiting', asked_at: expect.any(String), ended_at: null })
    expect((await call('POST', '/actions/observe')).body).toEqual(body)
    expect((await call('GET', '/actions/observe')).body).toEqual(body)
  })

  it('is refused when the cluster was observed often lately, and says when to try again', async () => {
    await call('POST', '/actions/observe')
    const read = (await request())!
    const spentUntil = new Date(Date.now() + 60_000).toISOString()
    const over = { ...read, askedAt: null, spentUntil, revision: read.revision + 1 }
    await lab.stores.commit([lab.stores.observeRequests.replace(read, over)])
    const answer = await call('POST', '/actions/observe')
    expect(answer.status).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(30)
    expect(answer.text).toContain('Try again in')
  })
})
