import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiUnavailable } from '../../functions/kubernetes/errors.ts'
import { moveMembers } from '../../functions/workers/health-sweep/members.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { ANA, BEN, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'
import { until } from '../support/local/engine-lab.ts'

/** Grants while things go wrong: processes that die, clusters that are ill. */

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects()
})
afterAll(async () => {
  expect(two.keysUsedBy('blue')).toEqual(['blue'])
  await two.dispose()
})
beforeEach(() => two.lab.reset())

const TO_BLUE = { project_id: 'blue', actions: ['join'] }

const joined = async (body: Record<string, unknown> = TO_BLUE) => {
  const cluster = await two.cluster(BEN, 'edge')
  const grant = await two.grant(cluster, body)
  const federation = await two.federation()
  await two.join(federation, cluster)
  await two.settled(federation)
  return { cluster, grant, federation }
}

const usesOf = async (cluster: string) =>
  (await two.call(BEN, 'GET', `/v1/clusters/${cluster}/federations`)).body.federations
const revoke = (cluster: string, grant: string) => two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/grants/${grant}`)
const grantStatus = async (cluster: string, grant: string) =>
  (await two.call(BEN, 'GET', `/v1/clusters/${cluster}/grants/${grant}`)).status

/** As if the process were killed after so many commits: none of its later writes arrives, and no execution is started. */
const dyingAfter = (commits: number) => {
  const { ports } = two.lab
  let left = commits
  const dead = () => {
    throw new ApiUnavailable('the process was killed')
  }
  const commit: typeof ports.stores.commit = (...given) => (left-- > 0 ? ports.stores.commit(...given) : dead())
  const start = async () => (left > 0 ? undefined : dead())
  return { ...ports, stores: { ...ports.stores, commit }, executions: { ...ports.executions, start } }
}

describe('a process that dies during a revocation', () => {
  it.each([0, 1, 2, 3])('after %i commits loses nothing', async (commits) => {
    const { cluster, grant, federation } = await joined()
    await two.callOver(dyingAfter(commits), BEN, `DELETE /v1/clusters/${cluster}/grants/${grant}`)
    if (commits === 0) {
      expect(await usesOf(cluster)).toMatchObject([{ state: 'Ready' }])
      await revoke(cluster, grant)
    }
    await until(async () => {
      await reconcile(two.lab.ports)
      return (await grantStatus(cluster, grant)) === 404
    })
    expect((await two.settled(federation)).body).toMatchObject({ status: 'UPDATE_COMPLETE', members: [] })
    expect(await usesOf(cluster)).toEqual([])
    expect(two.lab.world.holds(cluster)).toEqual([])
  })

  it('in each step of the unjoin loses nothing', async () => {
    const { cluster, grant, federation } = await joined()
    const died = new Set<string>()
    two.lab.intercept = async ({ step, event }, run) => {
      const result = await run()
      const which = JSON.stringify([step, event])
      if (died.has(which)) return result
      died.add(which)
      throw Object.assign(new Error('the process was killed'), { name: 'Lambda.Unknown' })
    }
    await revoke(cluster, grant)
    await two.settled(federation)
    await until(async () => (await grantStatus(cluster, grant)) === 404)
    await until(() => died.size > 1)
    expect(await usesOf(cluster)).toEqual([])
  })
})

describe('a join and a revocation at the same time', () => {
  it('decide the join anew when the grant was revoked before its commit', async () => {
    const cluster = await two.cluster(BEN, 'edge')
    const grant = await two.grant(cluster, TO_BLUE)
    const federation = await two.federation()
    const { ports } = two.lab
    let isFirst = true
    const commit: typeof ports.stores.commit = async (...given) => {
      if (isFirst) await revoke(cluster, grant)
      isFirst = false
      return ports.stores.commit(...given)
    }
    const add = [{ op: 'add', path: '/member_ids', value: cluster }]
    const over = { ...ports, stores: { ...ports.stores, commit } }
    const { status } = await two.callOver(over, ANA, `PATCH /v1/federations/${federation}`, add)
    expect(status).toBe(404)
    expect(await usesOf(cluster)).toEqual([])
  })

  it.each([1, 2, 3, 4, 5])('leave no member without a grant (%i)', async () => {
    const cluster = await two.cluster(BEN, 'edge')
    const grant = await two.grant(cluster, TO_BLUE)
    const federation = await two.federation()
    const [join] = await Promise.all([two.join(federation, cluster), revoke(cluster, grant)])
    expect([202, 404]).toContain(join.status)
    await until(async () => {
      await reconcile(two.lab.ports)
      return (await grantStatus(cluster, grant)) === 404
    })
    expect((await two.settled(federation)).body.members).toEqual([])
    expect(await usesOf(cluster)).toEqual([])
  })
})

describe('a cluster that is ill', () => {
  it('is told to the federation by its reason, and to its owner with the message', async () => {
    const { cluster, federation } = await joined()
    const { stores } = two.lab.ports
    const read = await stores.clusters.get({ projectId: 'green', id: cluster })
    const seen = {
      observedAt: '2026-11-28T10:00:00.000Z',
      healthStatus: 'UNHEALTHY' as const,
      healthReason: { api: 'greens-own.example refused' },
      version: null,
      nodeCount: 0,
      masterCount: 0,
    }
    await moveMembers(two.lab.ports, read!, seen)
    const targets = ['', '/events', `/members/${cluster}`, '/members'].map((it) => `/v1/federations/${federation}${it}`)
    const answers = await Promise.all(targets.map((target) => two.call(ANA, 'GET', target)))
    expect(answers.map(({ text }) => text).join()).not.toContain('greens-own')
    expect(answers[0]?.body.members).toMatchObject([{ state: 'Degraded', reason: 'ClusterUnhealthy' }])
    expect(await usesOf(cluster)).toMatchObject([{ state: 'Degraded', message: expect.stringContaining('greens-own') }])
  })

  it('that could not join tells its owner why, in its own history', async () => {
    const cluster = await two.cluster(BEN, 'edge', {
      magnum: { ...(await anyMagnum()), labels: { 'memory-fail-step': 'ready' } },
    })
    await two.grant(cluster, TO_BLUE)
    const federation = await two.federation()
    await two.join(federation, cluster)
    const { body } = await two.settled(federation)
    expect(body.members).toMatchObject([
      { state: 'JoinFailed', reason: 'PlannedFailure', message: expect.stringContaining("another project's") },
    ])
    const { events } = (await two.call(BEN, 'GET', `/v1/clusters/${cluster}/events`)).body
    expect(events.at(-1)).toMatchObject({ action: 'join', outcome: 'failure', reason: 'PlannedFailure' })
    expect(events.at(-1).message).not.toContain("another project's")
  })
})

const anyMagnum = async () => {
  const id = await two.cluster(BEN, 'any')
  const cluster = await two.lab.ports.stores.clusters.get({ projectId: 'green', id })
  return cluster!.magnum
}
