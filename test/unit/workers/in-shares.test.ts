import { describe, expect, it } from 'vitest'
import { inShares, type Shares } from '../../../functions/workers/in-shares.ts'
import { gate } from '../../support/local/engine-lab.ts'

type Item = { projectId: string; id: number }

const SHARES: Shares = { limit: 5, share: 2, budgetMs: Number.POSITIVE_INFINITY, turn: 0 }

async function* of(projects: Record<string, number>): AsyncGenerator<Item> {
  for (const [projectId, count] of Object.entries(projects)) {
    for (let id = 0; id < count; id++) yield { projectId, id }
  }
}

/** Runs to its end; what was begun in which order, and the most at a time of all and of one project. */
const run = async (projects: Record<string, number>, shares: Partial<Shares> = {}) => {
  const begun: string[] = []
  const now = new Map<string, number>()
  const most = { all: 0, ofOne: 0 }
  const left = await inShares(of(projects), { ...SHARES, ...shares }, async ({ projectId, id }) => {
    begun.push(`${projectId}${id}`)
    now.set(projectId, (now.get(projectId) ?? 0) + 1)
    most.all = Math.max(
      most.all,
      [...now.values()].reduce((sum, count) => sum + count),
    )
    most.ofOne = Math.max(most.ofOne, ...now.values())
    await Promise.resolve()
    now.set(projectId, (now.get(projectId) ?? 0) - 1)
  })
  return { begun, most, left: left.length }
}

describe('inShares', () => {
  it('acts on each once, within the limits, projects in turn', async () => {
    const { begun, most, left } = await run({ a: 20, b: 3, c: 3 })
    expect(new Set(begun).size).toBe(26)
    expect(begun).toHaveLength(26)
    expect(most).toEqual({ all: 5, ofOne: 2 })
    expect(begun.slice(0, 5)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1'])
    expect(left).toBe(0)
  })

  it('ends with nothing to act on', async () => {
    expect(await run({})).toMatchObject({ begun: [], left: 0 })
  })

  it('lets all others through while those of one project hang', async () => {
    const hangs = gate()
    const through: string[] = []
    const honest = gate()
    const running = inShares(of({ hostile: 50, honest: 10 }), SHARES, async ({ projectId, id }) => {
      if (projectId === 'hostile') return hangs.passed
      through.push(`${projectId}${id}`)
      if (through.length === 10) honest.open()
    })
    await honest.passed
    expect(through).toHaveLength(10)
    hangs.open()
    await running
  })

  it('begins none of a project that has used up its time, and tells how many', async () => {
    const { begun, left } = await run({ a: 7, b: 0 }, { budgetMs: 0, share: 5 })
    expect([begun, left]).toEqual([[], 7])
  })

  it('begins with another one in each run', async () => {
    const first = async (turn: number) => (await run({ a: 3 }, { turn })).begun[0]
    expect([await first(0), await first(1), await first(2), await first(3)]).toEqual(['a0', 'a1', 'a2', 'a0'])
  })

  it('passes a fault on', async () => {
    const failing = inShares(of({ a: 3 }), SHARES, () => Promise.reject(new Error('ours')))
    await expect(failing).rejects.toThrow('ours')
  })
})
