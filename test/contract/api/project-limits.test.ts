import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../../functions/api/app.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { PROJECT_LIMITS } from '../../../functions/core/values/quota.ts'
import { givenCluster, settleFederation } from '../../support/api/entities.ts'
import { API_SETTINGS, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { BOB } from '../../support/api/request.ts'

/** Issue 14, point 6a: what one project may have, so that others have theirs. */

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab)
})
afterAll(() => lab.dispose())

const TEMPLATE = { coe: 'kubernetes', image_id: 'none', external_network_id: 'public' }

const within = (limits: Partial<typeof PROJECT_LIMITS>) => {
  const app = lab.appWith({ projectLimits: { ...PROJECT_LIMITS, ...limits } })
  return (method: string, target: string, body?: unknown, as?: typeof BOB) =>
    callApp(app, method, target, { ...(body === undefined ? {} : { body }), ...(as === undefined ? {} : { as }) })
}

describe('the limits of a project', () => {
  it('refuse one federation too many with 403, the count, the limit and what to do, and leave others theirs', async () => {
    const call = within({ federations: 2 })
    const [first] = [await call('POST', '/v1/federations', { hostcluster_id: host })]
    expect((await call('POST', '/v1/federations', { hostcluster_id: host })).status).toBe(202)
    const { status, body } = await call('POST', '/v1/federations', { hostcluster_id: host })
    expect(status).toBe(403)
    expect(body.errors[0].detail).toMatch(
      /^Project blue has 2 federations, this request adds 1, and the limit is 2\. Delete one, or ask an administrator for a quota of Federation/,
    )
    const theirs = await givenCluster(lab, { as: BOB })
    expect((await call('POST', '/v1/federations', { hostcluster_id: theirs }, BOB)).status).toBe(202)
    expect((await call('GET', '/v1/federations')).body.federations).toHaveLength(2)
    expect((await call('DELETE', `/v1/federations/${first?.body.uuid}`)).status).toBe(204)
  })

  it('let one of two at once in, with and without a key, and the same key gets the same', async () => {
    const as = { ...BOB, projectId: 'at-once' }
    const own = await givenCluster(lab, { as })
    const app = lab.appWith({ projectLimits: { ...PROJECT_LIMITS, federations: 1 } })
    const create = (headers: Record<string, string>, more: object = {}) =>
      callApp(app, 'POST', '/v1/federations', { as, headers, body: { hostcluster_id: own, ...more } })
    const answers = await Promise.all([create({}), create({ 'Idempotency-Key': 'one' })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 403])
    const made = answers.find(({ status }) => status === 202)?.body.uuid
    expect((await callApp(app, 'DELETE', `/v1/federations/${made}`, { as })).status).toBe(204)
    const wide = lab.appWith({ projectLimits: { ...PROJECT_LIMITS, federations: 2 } })
    const keyed = (name: string) =>
      callApp(wide, 'POST', '/v1/federations', {
        as,
        headers: { 'Idempotency-Key': 'two' },
        body: { hostcluster_id: own, name },
      })
    const same = await Promise.all([keyed('a'), keyed('a')])
    expect(same.map(({ status }) => status)).toEqual([202, 202])
    expect(same[0]?.body).toEqual(same[1]?.body)
    expect((await keyed('b')).status).toBe(409)
  })

  it('refuse one cluster template too many', async () => {
    const call = within({ templates: 1 })
    const { body } = await call('POST', '/v1/clustertemplates', TEMPLATE)
    const refused = await call('POST', '/v1/clustertemplates', TEMPLATE)
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      403,
      expect.stringContaining('has 1 cluster templates, this request adds 1, and the limit is 1.'),
    ])
    expect((await call('DELETE', `/v1/clustertemplates/${body.uuid}`)).status).toBe(204)
    expect((await call('POST', '/v1/clustertemplates', TEMPLATE)).status).toBe(201)
  })

  it('refuse what begins while too much is in progress, take deletes all the same, and take it once that has ended', async () => {
    const fleet = (await lab.call('POST', '/v1/federations', { body: { hostcluster_id: host } })).body.uuid
    const call = within({ operations: 0 })
    for (const [method, target, body] of [
      ['POST', '/v1/federations', { hostcluster_id: host }],
      ['POST', '/v1/clusters', { driver: 'memory@1' }],
    ] as const) {
      const { status, text } = await call(method, target, body)
      expect([status, text]).toEqual([403, expect.stringMatching(/operations in progress.*Wait until some of them/)])
    }
    await settleFederation(lab, fleet)
    const patch = [{ op: 'add', path: '/properties/color', value: 'red' }]
    expect((await call('PATCH', `/v1/federations/${fleet}`, patch)).status).toBe(403)
    expect((await call('DELETE', `/v1/federations/${fleet}`)).status).toBe(204)
    expect((await within({})('POST', '/v1/federations', { hostcluster_id: host })).status).toBe(202)
  })
})

describe('the members of a project', () => {
  it('are joined up to the limit, and one that leaves makes room', async () => {
    const as = { ...BOB, projectId: 'members' }
    const app = lab.appWith({ projectLimits: { ...PROJECT_LIMITS, members: 1 } })
    const call = (method: string, target: string, body?: unknown) => callApp(app, method, target, { as, body })
    const [hub, one, two] = await Promise.all([1, 2, 3].map(() => givenCluster(lab, { as })))
    const { body } = await call('POST', '/v1/federations', { hostcluster_id: hub, member_ids: [one] })
    const refused = await call('POST', '/v1/federations', { hostcluster_id: hub, member_ids: [two] })
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      403,
      expect.stringMatching(
        /^Project members has 1 members of federations, this request adds 1, and the limit is 1\. Unjoin one/,
      ),
    ])
    const [waiting] = await lab.stores.memberships.listOf({ projectId: 'members', id: body.uuid })
    await lab.stores.commit([lab.stores.memberships.remove(waiting!)])
    expect((await call('POST', '/v1/federations', { hostcluster_id: hub, member_ids: [two] })).status).toBe(202)
  })
})

describe('the rates of a project', () => {
  const answers = async (app: ApiApp, as: Principal, count: number) => {
    const all = await Promise.all(Array.from({ length: count }, () => callApp(app, 'GET', '/v1/whoami', { as })))
    return all.map(({ status }) => status).filter((status) => status === 200).length
  }
  const ben: Principal = { ...BOB, userId: 'ben' }

  it('refuse what comes too fast with 429 and when to try again, for each caller and all of the project', async () => {
    const started = new Date()
    let now = started
    const ports = { ...lab.ports, clock: { now: () => now } }
    const app = apiApp(ports, { ...API_SETTINGS, rates: { perProject: 3, perPrincipal: 2 } })
    expect(await answers(app, BOB, 25)).toBe(20)
    expect(await answers(app, ben, 25)).toBe(10)
    const refused = await callApp(app, 'GET', '/v1/whoami', { as: BOB })
    expect([refused.status, refused.headers['retry-after'], refused.body.errors[0].detail]).toEqual([
      429,
      '1',
      'User bob sends too many requests a second. Try again in 1 s.',
    ])
    const other: Principal = { ...BOB, userId: 'olga', projectId: 'olgas' }
    expect(await answers(app, other, 1)).toBe(1)
    // The same user in another project, or the same name by another source, is somebody else.
    expect(await answers(app, { ...BOB, projectId: 'olgas' }, 1)).toBe(1)
    now = new Date(started.getTime() + 1000)
    expect(await answers(app, BOB, 5)).toBe(2)
    expect(await answers(app, ben, 5)).toBe(1)
  })

  it('are no rates of those who may not come in at all, and of nobody unless set', async () => {
    const app = lab.appWith({ rates: { perProject: 1, perPrincipal: 1 } })
    for (let count = 0; count < 15; count++)
      expect((await callApp(app, 'GET', '/v1/whoami', { as: null })).status).toBe(401)
    expect(await answers(lab.app, BOB, 50)).toBe(50)
  })
})
