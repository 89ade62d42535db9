import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Cluster, type ClusterObservation, NO_MAGNUM_ATTRIBUTES } from '../../functions/core/cluster/cluster.ts'
import { MEMBERS_READY } from '../../functions/core/federation/federation.ts'
import { entityEvent } from '../../functions/core/values/event.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { ANA, openTwoProjects, type TwoProjects } from '../support/flows/two-projects.ts'

/** Issue 20, point 1: members say what their clusters' health is, whoever saw it first. */

let two: TwoProjects
beforeAll(async () => {
  two = await openTwoProjects()
})
afterAll(() => two.dispose())
beforeEach(() => two.lab.reset())

const stores = () => two.lab.ports.stores
const PROJECT = ANA.projectId

const observed = (healthStatus: ClusterObservation['healthStatus'], api = 'ok'): ClusterObservation => ({
  observedAt: two.lab.ports.clock.now().toISOString(),
  healthStatus,
  healthReason: { api },
  version: 'v1.34.0',
  nodeCount: 1,
  masterCount: 1,
})

const ENDPOINT = {
  server: 'https://10.0.0.1:6443',
  serverForPeers: null,
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
}
/** One that the sweep checks. */
const watched = (name: string, observation: ClusterObservation, given: Partial<Cluster> = {}) =>
  two.cluster(ANA, name, { endpoint: ENDPOINT, observation, ...given })

/** As an update of the cluster stores it, which moves no members. */
const store = async (id: string, observation: ClusterObservation): Promise<void> => {
  two.lab.clock.advance(1000)
  await stores().clusters.observe(
    { projectId: PROJECT, id },
    { ...observation, observedAt: two.lab.ports.clock.now().toISOString() },
  )
}

const minute = async (): Promise<void> => {
  two.lab.clock.advance(60_000)
  await sweepHealth(two.lab.ports)
}

const view = async (id: string) => (await two.settled(id)).body
const membersOf = async (id: string): Promise<string[]> =>
  (await view(id)).members.map(({ state, reason }: { state: string; reason: string }) => `${state} ${reason ?? '-'}`)
const readyCondition = async (id: string) =>
  (await view(id)).conditions.find(({ type }: { type: string }) => type === MEMBERS_READY).status

describe('a membership says what the health of its cluster is', () => {
  it('joins as Degraded with an unhealthy cluster, and heals with it', async () => {
    const cluster = await watched('sick', observed('UNHEALTHY', 'node worker-1'))
    const id = await two.federation({ member_ids: [cluster] })
    expect(await membersOf(id)).toEqual(['Degraded ClusterUnhealthy'])
    expect(await readyCondition(id)).toBe('False')
    await minute()
    expect(await membersOf(id)).toEqual(['Degraded ClusterUnhealthy'])
    await minute()
    await minute()
    expect(await membersOf(id)).toEqual(['Ready -'])
    expect(await readyCondition(id)).toBe('True')
  })

  it('heals within a minute when somebody else saw the cluster healthy first', async () => {
    const cluster = await watched('repaired', observed('UNHEALTHY', 'refused'))
    const id = await two.federation({ member_ids: [cluster] })
    expect(await membersOf(id)).toEqual(['Degraded ClusterUnhealthy'])
    await store(cluster, observed('HEALTHY'))
    await minute()
    expect(await membersOf(id)).toEqual(['Ready -'])
    expect(await readyCondition(id)).toBe('True')
  })

  it('degrades within a minute when somebody else saw it unhealthy first', async () => {
    const cluster = await watched('broken', observed('HEALTHY'), {
      magnum: { ...NO_MAGNUM_ATTRIBUTES, labels: { 'memory-health': 'UNHEALTHY' } },
    })
    const id = await two.federation({ member_ids: [cluster] })
    expect(await membersOf(id)).toEqual(['Ready -'])
    await store(cluster, observed('UNHEALTHY', 'told to be unhealthy'))
    await minute()
    expect(await membersOf(id)).toEqual(['Degraded ClusterUnhealthy'])
  })
})

describe('a cluster in whose place another one answers', () => {
  const show = async (id: string) => (await two.call(ANA, 'GET', `/v1/clusters/${id}`)).body
  const typesOf = async (id: string) =>
    (await stores().events.listOf(PROJECT, { kind: 'cluster', id }, { limit: 100 })).items.map(
      (event) => entityEvent(event)['detail-type'],
    )

  it('is quarantined by one look, joins nothing, and is released by the right one', async () => {
    const cluster = await watched('edge', observed('HEALTHY'))
    const id = await two.federation({ member_ids: [cluster] })
    two.lab.clusters.replaced.add(cluster)
    for (let looks = 0; looks < 5; looks++) await minute()
    expect(await show(cluster)).toMatchObject({
      health_status: 'UNHEALTHY',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Quarantined', status: 'True', reason: 'AnotherCluster' }),
      ]),
    })
    expect(await membersOf(id)).toEqual(['Degraded ClusterQuarantined'])
    expect((await typesOf(cluster)).filter((type) => type === 'cluster.quarantined')).toHaveLength(1)
    const other = await two.federation({ hostcluster_id: await two.cluster(ANA, 'hub-2') })
    expect(await two.join(other, cluster)).toMatchObject({ status: 409 })

    two.lab.clusters.replaced.delete(cluster)
    await minute()
    expect(JSON.stringify((await show(cluster)).conditions)).not.toContain('Quarantined')
    await minute()
    await minute()
    expect(await membersOf(id)).toEqual(['Ready -'])
    expect((await typesOf(cluster)).filter((type) => type === 'cluster.released')).toHaveLength(1)
  })
})
