import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Due, putOffOf, readDue, staleSeconds } from '../../functions/workers/health-sweep/due.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { createCluster } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended } from '../support/flows/look.ts'
import { sampleCluster } from '../support/store/samples.ts'

let lab: FlowLab
const ids: string[] = []
beforeAll(async () => {
  lab = await openFlowLab()
  for (let index = 0; index < 12; index++) {
    const { id, ref } = await createCluster(lab, `c-${index}`)
    await ended(lab, ref)
    ids.push(id)
  }
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const MINUTE = 60_000
/** Which clusters were observed since this was last asked. */
const observed = (): string[] =>
  lab.clusters.calls.splice(0).flatMap(({ name, clusterId }) => (name === 'observe' ? [clusterId] : []))
const sweep = async (options: Parameters<typeof sweepHealth>[1] = {}) => {
  lab.clock.advance(MINUTE)
  const report = await sweepHealth(lab.ports, options)
  return { report, looks: observed() }
}

describe('a sweep in parts', () => {
  it('looks at each cluster in one of them', async () => {
    const looks: string[] = []
    for (let minute = 0; minute < 5; minute++) {
      lab.clock.advance(MINUTE)
      for (let index = 0; index < 5; index++) await sweepHealth(lab.ports, { part: { index, of: 5 } })
      looks.push(...observed())
    }
    expect(looks.toSorted()).toEqual(ids.toSorted())
  })
})

describe('a sweep that has no time left', () => {
  it('puts off what is due, which the next run looks at first, and says how long that waits', async () => {
    const waiting = new Set<string>()
    const stale: number[] = []
    for (let minute = 0; minute < 5; minute++) {
      const { report, looks } = await sweep({ runMs: 0 })
      expect(looks).toEqual([])
      stale.push(report.staleSeconds)
      const left = await lab.ports.stores.putOff.get({ index: 0, of: 1 })
      for (const id of Object.values(left).flat()) waiting.add(id)
      expect(report.putOff).toBe(waiting.size)
    }
    // Each had its minute, and waits since then.
    expect(waiting).toEqual(new Set(ids))
    const begun = stale.findIndex((seconds) => seconds > 0) - 1
    expect(stale.slice(begun + 1)).toEqual(stale.slice(begun + 1).map((_, index) => (index + 1) * 60))
    const { report, looks } = await sweep()
    expect(looks.toSorted()).toEqual(ids.toSorted())
    expect(report).toMatchObject({ putOff: 0, staleSeconds: 0 })
    expect(await lab.ports.stores.putOff.get({ index: 0, of: 1 })).toEqual({})
  })

  it('reads each cluster by itself when one of a project can’t be read', async () => {
    const { stores } = lab.ports
    const clusters = {
      ...stores.clusters,
      getMany: async () => Promise.reject(new Error('one is corrupt')),
      get: async (key: { projectId: string; id: string }) => {
        if (key.id === ids[0]) throw new Error('corrupt')
        return stores.clusters.get(key)
      },
    }
    let looked = 0
    for (let minute = 0; minute < 5; minute++) {
      lab.clock.advance(MINUTE)
      const report = await sweepHealth({ ...lab.ports, stores: { ...stores, clusters } })
      expect(report.failed).toBe(1)
      looked += report.looked
    }
    expect(looked).toBe(ids.length - 1)
  })
})

describe('the order of a sweep', () => {
  const now = new Date('2026-11-29T10:00:00.000Z')
  const ago = (minutes: number): string => new Date(now.getTime() - minutes * MINUTE).toISOString()
  const observation = (healthStatus: 'HEALTHY' | 'UNHEALTHY') => ({
    observedAt: ago(9),
    healthStatus,
    healthReason: { api: healthStatus === 'HEALTHY' ? 'ok' : 'refused' },
    version: null,
    nodeCount: 1,
    masterCount: 1,
  })
  const cluster = (id: string, health: 'HEALTHY' | 'UNHEALTHY') =>
    sampleCluster({
      id,
      status: 'CREATE_COMPLETE',
      operation: null,
      endpoint: { server: 'https://x', serverForPeers: null, caPem: null, tlsServerName: null, tlsVerify: true },
      identity: { uid: id, user: 'u' },
      observation: observation(health),
    })

  it('is by health, until a healthy cluster has waited for some minutes', async () => {
    const all = [
      cluster('healthy-2', 'HEALTHY'),
      cluster('sick', 'UNHEALTHY'),
      cluster('healthy-4', 'HEALTHY'),
      cluster('healthy-1', 'HEALTHY'),
    ]
    const stores = { clusters: { getMany: async () => all } }
    async function* keys() {
      for (const { projectId, id } of all) yield { projectId, id }
    }
    const putOff = { [ago(2)]: ['healthy-2'], [ago(4)]: ['healthy-4'], [ago(1)]: ['healthy-1'] }
    const failed = () => expect.unreachable()
    const due = await readDue({ stores, clock: { now: () => now } } as never, keys(), { putOff, failed })
    expect(due.map(({ cluster: { id } }) => id)).toEqual(['healthy-4', 'sick', 'healthy-2', 'healthy-1'])
    expect(putOffOf(due)).toEqual({ ...putOff, [now.toISOString()]: ['sick'] })
    expect(staleSeconds(due, now)).toBe(240)
  })

  it('is kept for as many as an item holds', () => {
    const healthy = cluster('x', 'HEALTHY')
    const many = Array.from({ length: 20_000 }, (_, index): Due => {
      const id = `0193a5c2-7d1e-7f00-8000-${String(index).padStart(12, '0')}`
      return { projectId: 'p', cluster: { ...healthy, id }, since: ago(index % 4) }
    })
    const kept = putOffOf(many)
    expect(Object.values(kept).flat()).toHaveLength(8_000)
    expect(JSON.stringify(kept).length).toBeLessThan(380_000)
    expect(Object.keys(kept).toSorted()).toEqual([ago(3), ago(2)].toSorted())
  })
})
