import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { MEMBERS_READY } from '../../functions/core/federation/federation.ts'
import type { Connection, KubernetesClient } from '../../functions/kubernetes/client.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { createCluster, createFederation, deleteCluster, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, messages, settled } from '../support/flows/look.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const MINUTE = 60_000
const down = (id: string) => {
  lab.clusters.before = ({ name, clusterId }) => {
    if (name === 'observe' && clusterId === id) throw new Error('connection refused')
  }
}
const looksAt = (id: string): number =>
  lab.clusters.calls.filter((it) => it.name === 'observe' && it.clusterId === id).length
/** A sweep each minute. */
const sweepMinutes = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(MINUTE)
    await sweepHealth(lab.ports)
  }
}
const member = async () => {
  const { id, ref } = await createCluster(lab, 'watched')
  await ended(lab, ref)
  const federation = await createFederation(lab, await registered(lab, 'host'), { members: [id] })
  await settled(lab, federation.id)
  return { id, federation: federation.id }
}
const membersReady = async (id: string) =>
  (await federationOf(lab, id)).conditions.find((condition) => condition.type === MEMBERS_READY)?.status

describe('sweepHealth', () => {
  it('checks a healthy cluster once in five minutes and writes nothing', async () => {
    const { id } = await member()
    // Its control plane is informed of it first.
    await sweepMinutes(1)
    lab.clusters.calls.length = 0
    const before = await clusterOf(lab, id)
    await sweepMinutes(10)
    expect(looksAt(id)).toBe(2)
    expect((await clusterOf(lab, id))?.observation).toEqual(before?.observation)
  })

  it('degrades a member after two bad looks and heals it after two good ones', async () => {
    const { id, federation } = await member()
    down(id)
    while (looksAt(id) < 1) await sweepMinutes(1)
    expect(await membership(lab, federation, id)).toMatchObject({ state: 'Ready' })
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({ healthStatus: 'UNHEALTHY' })
    expect(await membership(lab, federation, id)).toMatchObject({ state: 'Degraded', reason: 'ClusterUnhealthy' })
    expect(await membersReady(federation)).toBe('False')
    const message = 'The cluster is unhealthy: connection refused.'
    expect(await membership(lab, federation, id)).toMatchObject({ message })
    expect(await messages(lab, 'federation', federation)).toContain(message)

    lab.reset()
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({
      healthStatus: 'UNHEALTHY',
      healthReason: { api: 'ok' },
    })
    expect(await membership(lab, federation, id)).toMatchObject({ state: 'Degraded' })
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({ healthStatus: 'HEALTHY' })
    expect(await membership(lab, federation, id)).toMatchObject({ state: 'Ready' })
    expect(await membersReady(federation)).toBe('True')
  })

  it('does not degrade a member for one bad observation', async () => {
    const { id, federation } = await member()
    down(id)
    while (looksAt(id) < 1) await sweepMinutes(1)
    lab.clusters.before = undefined
    await sweepMinutes(6)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({
      healthStatus: 'HEALTHY',
      healthReason: { api: 'ok' },
    })
    expect(await membership(lab, federation, id)).toMatchObject({ state: 'Ready' })
  })

  it('passes over clusters that are not registered, or being deleted, and tells what failed', async () => {
    const failed = await createCluster(lab, 'failed', { labels: { 'memory-fail-phase': 'identify' } })
    await ended(lab, failed.ref)
    const { id, ref } = await createCluster(lab, 'leaving')
    await ended(lab, ref)
    await deleteCluster(lab, id, { launched: false })
    await sweepMinutes(5)
    expect(looksAt(failed.id)).toBe(0)
    expect(looksAt(id)).toBe(0)
  })

  it('begins no call of a cluster that has had its time: one that answers slowly holds up no others', async () => {
    const asked: string[] = []
    const raw = async (path: string) => {
      asked.push(path)
      return { status: 200, body: '' }
    }
    const own = await openFlowLab({ connect: () => ({ raw }) as unknown as KubernetesClient })
    const start = performance.now()
    const clock = vi.spyOn(performance, 'now')
    try {
      const { id, ref } = await createCluster(own, 'slow')
      await ended(own, ref)
      own.clusters.before = async ({ name }, { connect }) => {
        if (name !== 'observe') return
        const client = connect({ server: 'https://10.0.0.1:6443' } as Connection)
        await client.raw('/livez')
        clock.mockReturnValue(start + 600_000)
        await client.raw('/readyz')
      }
      while (asked.length === 0) {
        own.clock.advance(MINUTE)
        await sweepHealth(own.ports)
      }
      expect(asked).toEqual(['/livez'])
      expect((await clusterOf(own, id))?.observation?.healthReason.api).toMatch(/^10\.0\.0\.1:6443 was not asked/)
    } finally {
      clock.mockRestore()
      await own.dispose()
    }
  })
})
