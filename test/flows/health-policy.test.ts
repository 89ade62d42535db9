import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followDue } from '../../functions/workers/selectors/follow-due.ts'
import { openPolicyLab, type PolicyLab } from '../support/flows/policy-lab.ts'
import { BEN, type TwoProjects } from '../support/flows/two-projects.ts'

/** Issue 18, point 2: health drives membership, with memory@1 over the embedded engine. */

let lab: PolicyLab
let two: TwoProjects
beforeAll(async () => {
  lab = await openPolicyLab()
  two = lab.two
})
afterAll(() => two.dispose())
beforeEach(() => lab.reset())

describe('on_unhealthy: unjoin', () => {
  it('takes a member out once it was unhealthy for as long as that, and has it back when it is healthy', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'unjoin', after_seconds: 600 })
    lab.down(ids[0])
    await lab.minutes(7)
    expect(await lab.members(id)).toContain('m0 Degraded')
    await lab.minutes(11)
    expect(await lab.members(id)).toEqual(['m1 Ready', 'm2 Ready', 'm3 Ready', 'm4 Ready'])
    expect(await lab.view(id)).toMatchObject({ left_unhealthy_ids: [ids[0]], status: 'UPDATE_COMPLETE' })
    expect(await lab.reasons(id)).toContain('LeavesUnhealthy')

    lab.up(ids[0])
    await lab.minutes(4)
    expect(await lab.members(id)).toEqual(['m0 Ready', 'm1 Ready', 'm2 Ready', 'm3 Ready', 'm4 Ready'])
    await lab.minutes(1)
    expect(await lab.view(id)).toMatchObject({ left_unhealthy_ids: [] })
    expect(await lab.reasons(id)).toContain('RejoinsHealthy')
  })

  it('is forced where the member does not answer, and tells what is left', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'unjoin', after_seconds: 0 })
    lab.down(ids[0])
    await lab.minutes(8)
    expect(await lab.members(id)).toHaveLength(4)
    expect(await lab.reasons(id)).toContain('LeftBehind')
    expect((await lab.view(id)).status_reason).toMatch(/m0 was removed, but this was left behind: .*ServiceAccount/)
  })

  it('interrupts nothing that heals in time', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'unjoin', after_seconds: 600 })
    for (const _ of [1, 2, 3]) {
      lab.down(ids[0])
      await lab.minutes(8)
      lab.up(ids[0])
      await lab.minutes(4)
    }
    expect(await lab.members(id)).toHaveLength(5)
    expect(await lab.reasons(id)).not.toContain('LeavesUnhealthy')
  })

  it('leaves it out with on_healthy: nothing, until somebody adds it', async () => {
    const policy = { on_unhealthy: 'unjoin', after_seconds: 0, on_healthy: 'nothing' }
    const { id, ids } = await lab.federation(5, policy)
    lab.down(ids[0])
    await lab.minutes(8)
    lab.up(ids[0])
    await lab.minutes(8)
    expect(await lab.members(id)).toHaveLength(4)
    expect((await two.join(id, ids[0] ?? '')).status).toBe(202)
    expect(await lab.members(id)).toHaveLength(5)
    expect((await lab.view(id)).left_unhealthy_ids).toEqual([])
  })

  it('takes no other cluster back under the same address', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'unjoin', after_seconds: 0 })
    two.lab.clusters.replaced.add(ids[0] ?? '')
    await lab.minutes(8)
    expect(await lab.members(id)).toHaveLength(4)
    await lab.minutes(10)
    expect(await lab.members(id)).toHaveLength(4)
    two.lab.clusters.replaced.clear()
    await lab.minutes(4)
    expect(await lab.members(id)).toHaveLength(5)
  })

  it('leaves what a selector brought to the policy, and brings it back as selected', async () => {
    const { id, ids } = await lab.selected(5, { on_unhealthy: 'unjoin', after_seconds: 0 })
    lab.down(ids[0])
    await lab.minutes(8)
    await followDue(two.lab.ports)
    expect(await lab.members(id)).toHaveLength(4)
    lab.up(ids[0])
    await lab.minutes(4)
    expect(await lab.members(id)).toHaveLength(5)
    const found = (await lab.view(id)).members.find(({ cluster_id }: { cluster_id: string }) => cluster_id === ids[0])
    expect(found).toMatchObject({ selected: true })
  })
})

describe('a cluster of another project', () => {
  it('joins again by a grant that holds, and not without one', async () => {
    const { id, cluster, grant } = await lab.lent({ on_unhealthy: 'unjoin', after_seconds: 0 })
    lab.down(cluster)
    await lab.minutes(8)
    expect(await lab.members(id)).toEqual([])
    lab.up(cluster)
    await lab.minutes(4)
    expect(await lab.members(id)).toEqual(['lent Ready'])
    lab.down(cluster)
    await lab.minutes(8)
    expect((await two.call(BEN, 'DELETE', `/v1/clusters/${cluster}/grants/${grant}`)).status).toBe(204)
    lab.up(cluster)
    await lab.minutes(8)
    expect(await lab.members(id)).toEqual([])
  })
})

describe('guards', () => {
  it('holds when more than half of at least four are unhealthy at once, and says so', async () => {
    const { id, ids } = await lab.federation(6, { on_unhealthy: 'unjoin', after_seconds: 60 })
    for (const cluster of ids.slice(0, 4)) lab.down(cluster)
    await lab.minutes(20)
    expect(await lab.members(id)).toHaveLength(6)
    expect(await lab.condition(id, 'HealthPolicyHeld')).toMatchObject({ status: 'True', reason: 'MoreThanHalf' })
    for (const cluster of ids.slice(0, 4)) lab.up(cluster)
    await lab.minutes(4)
    expect(await lab.condition(id, 'HealthPolicyHeld')).toMatchObject({ status: 'False' })
    expect((await lab.view(id)).left_unhealthy_ids).toEqual([])
  })

  it('counts those that left: a network that fails by and by takes no more than half', async () => {
    const { id, ids } = await lab.federation(6, { on_unhealthy: 'unjoin', after_seconds: 0 })
    for (const cluster of ids) {
      lab.down(cluster)
      await lab.minutes(10)
    }
    expect(await lab.members(id)).toHaveLength(3)
  })

  it('lets one leave at a time, and a quarter a minute', async () => {
    const { id, ids } = await lab.federation(8, { on_unhealthy: 'unjoin', after_seconds: 0 })
    for (const cluster of ids.slice(0, 4)) lab.down(cluster)
    let before = 8
    for (let minute = 0; minute < 16; minute++) {
      await lab.minutes(1)
      const now = (await lab.members(id)).length
      expect(before - now).toBeLessThanOrEqual(1)
      before = now
    }
    expect(before).toBe(4)
  })
})

describe('on_unhealthy: cordon', () => {
  it('keeps new workloads away while it is unhealthy', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'cordon', after_seconds: 60 })
    lab.down(ids[0])
    await lab.minutes(9)
    expect(lab.cordoned(id)).toEqual(['m0'])
    expect(await lab.members(id)).toContain('m0 Degraded')
    expect((await lab.view(id)).members[0]).toMatchObject({ cordoned: true })
    lab.up(ids[0])
    await lab.minutes(4)
    expect(lab.cordoned(id)).toEqual([])
    expect((await lab.view(id)).members[0]).not.toHaveProperty('cordoned')
    expect(await lab.reasons(id)).toEqual(expect.arrayContaining(['Cordoned', 'Uncordoned']))
  })

  it('ends with the policy', async () => {
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'cordon', after_seconds: 0 })
    lab.down(ids[0])
    await lab.minutes(8)
    expect(lab.cordoned(id)).toEqual(['m0'])
    expect((await lab.patch(id, 'replace', '/on_unhealthy', 'keep')).status).toBe(202)
    await lab.minutes(1)
    expect(lab.cordoned(id)).toEqual([])
  })
})

describe('killed after each call, and run again', () => {
  it.each(['cordon', 'unjoin'])('%s ends as if it had not been', async (on_unhealthy) => {
    const { id, ids } = await lab.federation(4, { on_unhealthy, after_seconds: 0 })
    lab.down(ids[0])
    for (let dies = 0; dies < 12; dies++) await lab.dyingMinute(dies)
    await lab.minutes(6)
    expect(await lab.isConsistent(id)).toEqual([])
    expect(on_unhealthy === 'cordon' ? lab.cordoned(id) : await lab.members(id)).toHaveLength(
      on_unhealthy === 'cordon' ? 1 : 3,
    )
    lab.up(ids[0])
    for (let dies = 0; dies < 12; dies++) await lab.dyingMinute(dies)
    await lab.minutes(6)
    expect(await lab.isConsistent(id)).toEqual([])
    expect(await lab.members(id)).toHaveLength(4)
    expect(lab.cordoned(id)).toEqual([])
  })
})

/** Numbers that look random and are the same each time. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % below
  }
}

describe('whatever flips', () => {
  it.each([11, 23, 37])('members and cordons are what the policy says once it rests (seed %s)', async (seed) => {
    const next = numbers(seed)
    const { id, ids } = await lab.federation(5, { on_unhealthy: 'cordon', after_seconds: 60 })
    for (let turn = 0; turn < 12; turn++) {
      const cluster = ids[next(ids.length)]
      if (next(2) === 0) lab.down(cluster)
      else lab.up(cluster)
      if (next(4) === 0) await lab.patch(id, 'replace', '/on_unhealthy', ['keep', 'cordon', 'unjoin'][next(3)])
      if (next(3) === 0) await lab.dyingMinute(next(12))
      await lab.minutes(next(4))
    }
    await lab.minutes(30)
    expect(await lab.isConsistent(id)).toEqual([])
  })
})
