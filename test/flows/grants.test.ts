import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rotateCredential } from '../../functions/core/membership/begin-operation.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { ANA, BEN, CLEO, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** Issue 17, point 2: a cluster of one project in a federation of another, from the grant to its end. */

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects()
})
afterAll(async () => {
  expect(two.keysUsedBy('blue')).toEqual(['blue'])
  expect(two.keysUsedBy('green')).toEqual(['green'])
  await two.dispose()
})
beforeEach(() => two.lab.reset())

const TO_BLUE = { project_id: 'blue', actions: ['join'] }

const joined = async (body: Record<string, unknown> = TO_BLUE) => {
  const cluster = await two.cluster(BEN, 'edge')
  const grant = await two.grant(cluster, body)
  const federation = await two.federation()
  expect((await two.join(federation, cluster)).status).toBe(202)
  return { cluster, grant, federation, view: (await two.settled(federation)).body }
}

const usesOf = async (cluster: string) =>
  (await two.call(BEN, 'GET', `/v1/clusters/${cluster}/federations`)).body.federations
const grantOf = (cluster: string, grant: string) => two.call(BEN, 'GET', `/v1/clusters/${cluster}/grants/${grant}`)
const gone = (cluster: string, grant: string) => until(async () => (await grantOf(cluster, grant)).status === 404)

describe('a cluster of another project', () => {
  it('joins by its grant, and is no more to the federation than a name and a state', async () => {
    const { cluster, federation, view } = await joined()
    expect(view).toMatchObject({ status: 'UPDATE_COMPLETE', member_ids: [cluster] })
    expect(view.members).toEqual([
      expect.objectContaining({ cluster_id: cluster, name: 'edge', state: 'Ready', shared: true, message: null }),
    ])
    expect((await two.call(ANA, 'GET', `/v1/clusters/${cluster}`)).status).toBe(404)
    const member = (await two.call(ANA, 'GET', `/v1/federations/${federation}/members/${cluster}`)).body
    expect(member).toMatchObject({ credential: null, leftovers: [] })
  })

  it('tells its owner who uses it, since when, with which rights and by which grant', async () => {
    const { cluster, grant, federation, view } = await joined()
    expect(await usesOf(cluster)).toEqual([
      expect.objectContaining({
        uuid: federation,
        name: view.name,
        project_id: 'blue',
        role: 'member',
        rights: 'view',
        grant_id: grant,
        state: 'Ready',
        since: expect.stringMatching(/\+00:00$/),
        credential: { kind: 'token-secret', expires_at: null },
      }),
    ])
    const { body } = await two.call(BEN, 'GET', `/v1/clusters/${cluster}`)
    expect(body.federations).toEqual([{ uuid: federation, role: 'member', project_id: 'blue' }])
  })

  it('can not be deleted while it is used, and says by whom', async () => {
    const { cluster, federation } = await joined()
    const { status, body } = await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}`)
    expect(status).toBe(409)
    expect(body.errors[0].detail).toContain(federation)
    expect(body.errors[0].detail).toContain('of project blue')
  })

  it('leaves when its owner says so, and the grant stays', async () => {
    const { cluster, grant, federation } = await joined()
    const { status } = await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/federations/${federation}`)
    expect(status).toBe(202)
    expect((await two.settled(federation)).body).toMatchObject({ status: 'UPDATE_COMPLETE', members: [] })
    expect(await usesOf(cluster)).toEqual([])
    expect((await grantOf(cluster, grant)).body).toMatchObject({ state: 'live', federations: [] })
    expect(two.lab.world.holds(cluster)).toEqual([])
  })

  it('leaves by the federation as its own members do', async () => {
    const { cluster, federation } = await joined()
    await two.call(ANA, 'PATCH', `/v1/federations/${federation}`, [
      { op: 'remove', path: '/member_ids', value: cluster },
    ])
    expect((await two.settled(federation)).body.members).toEqual([])
    expect(await usesOf(cluster)).toEqual([])
  })

  it('is free again when the federation is deleted', async () => {
    const { cluster, federation } = await joined()
    await two.call(ANA, 'DELETE', `/v1/federations/${federation}`)
    expect((await two.settled(federation)).status).toBe(404)
    expect((await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}`)).status).toBe(204)
  })

  it('takes its unused grants along when it is deleted', async () => {
    const cluster = await two.cluster(BEN, 'edge')
    const grant = await two.grant(cluster, TO_BLUE)
    await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}`)
    await until(async () => (await two.call(BEN, 'GET', `/v1/clusters/${cluster}`)).status === 404)
    const received = (await two.call(ANA, 'GET', '/v1/grants')).body.grants
    expect(received.map(({ uuid }: { uuid: string }) => uuid)).not.toContain(grant)
  })

  it('can be a host', async () => {
    const host = await two.cluster(BEN, 'hub')
    const grant = await two.grant(host, { project_id: 'blue', actions: ['host'] })
    const federation = await two.federation({ hostcluster_id: host })
    expect((await two.settled(federation)).body).toMatchObject({ status: 'CREATE_COMPLETE', hostcluster_id: host })
    expect(await usesOf(host)).toMatchObject([{ uuid: federation, role: 'host', grant_id: grant }])
    const kubeconfig = `/v1/federations/${federation}/kubeconfig`
    expect((await two.call({ ...ANA, roles: ['admin'] }, 'POST', kubeconfig, {})).status).toBe(409)
    await two.call(BEN, 'DELETE', `/v1/clusters/${host}/grants/${grant}`)
    expect((await two.settled(federation)).status).toBe(404)
    await gone(host, grant)
    expect(two.lab.world.holds(host)).toEqual([])
  })
})

describe('a grant that is over', () => {
  it('is revoked with 204, and an unjoin begins by itself', async () => {
    const { cluster, grant, federation } = await joined()
    expect((await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/grants/${grant}`)).status).toBe(204)
    expect((await two.settled(federation)).body).toMatchObject({ status: 'UPDATE_COMPLETE', members: [] })
    await gone(cluster, grant)
    expect(two.lab.world.holds(cluster)).toEqual([])
    expect((await two.join(federation, cluster)).status).toBe(404)
  })

  it('that expires ends by the reconciler', async () => {
    const now = two.lab.clock.now().getTime()
    const expires_at = new Date(now + 3_600_000).toISOString()
    const { cluster, grant, federation } = await joined({ ...TO_BLUE, expires_at })
    await reconcile(two.lab.ports)
    expect(await usesOf(cluster)).toHaveLength(1)
    two.lab.clock.advance(3_600_000)
    const key = { projectId: 'blue', federationId: federation, clusterId: cluster }
    expect(await rotateCredential(two.lab.ports, key, '9999')).toBe(false)
    await reconcile(two.lab.ports)
    expect((await two.settled(federation)).body.members).toEqual([])
    await gone(cluster, grant)
  })

  it('waits for a federation that is busy, and is not forgotten', async () => {
    const { cluster, grant, federation } = await joined()
    const { stores } = two.lab.ports
    const read = await stores.federations.get({ projectId: 'blue', id: federation })
    const busy = { ...read!.operation, kind: 'create' as const }
    const operation = {
      id: two.lab.ports.newId(),
      attempt: 1,
      mode: 'do',
      startedAt: '',
      deadline: '9',
      force: false,
      supersedes: [],
      failure: null,
      ...busy,
    } as never
    await stores.commit([stores.federations.change(read!, { operation })])
    expect((await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/grants/${grant}`)).status).toBe(204)
    expect((await grantOf(cluster, grant)).body).toMatchObject({
      state: 'revoked',
      federations: [{ uuid: federation }],
    })
    const later = await stores.federations.get({ projectId: 'blue', id: federation })
    await stores.commit([stores.federations.change(later!, { operation: null })])
    await reconcile(two.lab.ports)
    expect((await two.settled(federation)).body.members).toEqual([])
    await gone(cluster, grant)
  })

  it('is no way in while it waits', async () => {
    const cluster = await two.cluster(BEN, 'edge')
    const grant = await two.grant(cluster, TO_BLUE)
    const federation = await two.federation()
    await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/grants/${grant}`)
    const refused = await two.join(federation, cluster)
    const unknown = await two.join(federation, two.lab.ports.newId())
    expect(refused.status).toBe(404)
    expect(refused.body.errors[0].detail.replace(/"[^"]*"/, '')).toBe(
      unknown.body.errors[0].detail.replace(/"[^"]*"/, ''),
    )
  })
})

describe('GET /v1/grants', () => {
  it('shows those given and those received, and to others nothing', async () => {
    const cluster = await two.cluster(BEN, 'edge')
    const grant = await two.grant(cluster, TO_BLUE)
    const seen = async (as: typeof ANA) =>
      (await two.call(as, 'GET', '/v1/grants')).body.grants.find(({ uuid }: { uuid: string }) => uuid === grant)
    expect(await seen(BEN)).toMatchObject({ direction: 'given', user_id: 'ben', rights: 'view', project_id: 'blue' })
    expect(await seen(ANA)).toMatchObject({ direction: 'received', user_id: null, cluster_uuid: cluster })
    expect(await seen(CLEO)).toBeUndefined()
  })
})
