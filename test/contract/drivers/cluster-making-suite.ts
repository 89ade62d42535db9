import { describe, expect, it } from 'vitest'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { CallBudget, Killed } from '../../support/drivers/call-budget.ts'
import { type ClusterLab, ClusterLife, type LifeMode, type MakingLab } from '../../support/drivers/cluster-life.ts'
import { nodeGroupEntity } from '../../support/drivers/cluster-samples.ts'
import { frozen } from '../../support/drivers/frozen.ts'
import { type MadeCluster, madeCluster, type OpenedLab } from './made-cluster.ts'

type InLab = (use: (lab: ClusterLab) => Promise<void>) => Promise<void>

const SENTENCE = /^[A-Z].*\.$/s

const makingOf = ({ making }: ClusterLab): MakingLab => {
  if (making === undefined) throw new Error('the lab of a driver that makes nodes needs `making`')
  return making
}

const addressesOf = (life: ClusterLife, name: string): readonly string[] => life.group(name).nodeAddresses

/** A group as the reader of the API sees it, but for its addresses, which a driver may choose. */
const shape = ({ name, nodeCount, nodeAddresses, version }: NodeGroup) => ({
  name,
  nodeCount,
  addresses: new Set(nodeAddresses).size,
  version,
})

/** Everything that can happen to a cluster; the ends of it. */
const liveThrough = async (life: ClusterLife): Promise<unknown> => {
  const { newer } = makingOf(life.lab)
  const runs = (kind: keyof ClusterDriver['phases']['update']): boolean => life.driver.phases.update[kind] !== undefined
  await life.create()
  await life.resize('default-worker', 4)
  const [first = ''] = addressesOf(life, 'default-worker')
  await life.resize('default-worker', 3, [first])
  await life.addGroup('extra', { nodeCount: 2 })
  await life.updateGroup('extra', null)
  await life.updateGroup('extra', 3)
  if (runs('upgrade')) await life.upgrade(newer)
  if (runs('rotate-authority')) await life.rotateAuthority()
  if (runs('rotate-credential')) await life.perform({ kind: 'rotate-credential' })
  const whole = life.nodeGroups.map(shape)
  expect(addressesOf(life, 'default-worker')).not.toContain(first)
  await life.removeGroup('extra')
  const { endpoint, identity, observation } = life.cluster
  // Another cluster is elsewhere, and somebody else; where and who is the same all its life.
  expect(life.claimed).toEqual([identity?.uid])
  await life.delete()
  return {
    whole,
    left: life.nodeGroups.map(shape),
    endpoint: endpoint && { ...endpoint, server: new URL(endpoint.server).protocol },
    version: observation?.version,
  }
}

/** Rule C17: whatever happens on the way, a life ends the same. */
const describeWholeLives = (driver: ClusterDriver, inLab: InLab): void => {
  it.each<LifeMode>(['losing', 'twice'])('C17: a life whose plans run %s ends as an undisturbed one', (mode) =>
    inLab(async (lab) => {
      const undisturbed = await liveThrough(new ClusterLife(driver, lab))
      expect(await liveThrough(new ClusterLife(driver, lab, { mode }))).toEqual(undisturbed)
    }),
  )

  it('C17: a life that is killed after any write of its create, and goes on, ends the same', () =>
    inLab(async (lab) => {
      const whole = new CallBudget()
      const undisturbed = await liveThrough(new ClusterLife(driver, lab, { budget: whole }))
      for (let kill = 1; kill <= whole.writes.length; kill += 1) {
        const budget = new CallBudget()
        const life = new ClusterLife(driver, lab, { budget })
        budget.killAfter(kill)
        await life.create().catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
        budget.lift()
        expect(await liveThrough(life)).toEqual(undisturbed)
      }
    }))
}

/** Those that an observation of a cluster is enough for. */
export const describeMadeNodes = (driver: ClusterDriver, made: MadeCluster): void => {
  it('C15: its create tells addresses and version of every group', () => {
    const life = made.life()
    for (const group of life.nodeGroups) {
      expect(shape(group)).toMatchObject({ addresses: group.nodeCount, version: expect.stringMatching(/^v1\./) })
    }
    expect(life.cluster.observation).toMatchObject({ masterCount: 1, nodeCount: 1 })
  })

  it('C19: the certificate of the authority is in its endpoint', async () => {
    if (!driver.capabilities.certificateAuthority) return
    const { cluster, lab } = made.life()
    const authority = await makingOf(lab).authority('kubernetes', 1)
    expect(cluster.endpoint?.caPem).toBe(authority?.certificatePem)
  })
}

/** Runs with a cluster of one worker. */
type InLife = (use: (life: ClusterLife, making: MakingLab) => Promise<void>) => Promise<void>

/** As it was made. */
const reset = async (life: ClusterLife): Promise<void> => {
  for (const { name } of life.nodeGroups) if (!name.startsWith('default-')) await life.removeGroup(name)
  if (life.group('default-worker').nodeCount !== 1) await life.resize('default-worker', 1)
}

export type MakingSuiteOptions = {
  inLab: InLab
  open: () => Promise<OpenedLab>
  /** As of the whole suite. */
  isSlow: boolean
}

/** A cluster for each test, or where it takes a minute one for all tests of a `describe`. */
const lives = (driver: ClusterDriver, { inLab, open, isSlow }: MakingSuiteOptions): InLife => {
  if (isSlow) {
    const made = madeCluster(driver, open)
    return async (use) => {
      await reset(made.life())
      await use(made.life(), makingOf(made.life().lab))
    }
  }
  return (use) =>
    inLab(async (lab) => {
      const life = new ClusterLife(driver, lab)
      await life.create()
      await use(life, makingOf(lab))
    })
}

/** Of tests that may have one cluster together. */
const IN_TURN = { concurrent: false }

const describeChanges = (driver: ClusterDriver, inLife: InLife): void => {
  it('C15: each change of a group tells what there is now, with addresses that no other node has', IN_TURN, () =>
    inLife(async (life) => {
      await life.resize('default-worker', 3)
      await life.addGroup('extra', { nodeCount: 2 })
      await life.updateGroup('extra', 4)
      await life.updateGroup('extra', null)
      const all = life.nodeGroups.flatMap(({ nodeAddresses }) => nodeAddresses)
      expect(life.nodeGroups.map((group) => shape(group).addresses)).toEqual([1, 3, 4])
      expect(new Set(all).size).toBe(8)
      await life.resize('extra', 0)
      expect(addressesOf(life, 'extra')).toEqual([])
    }),
  )

  it('C15: a group that goes takes its nodes with it', IN_TURN, () =>
    inLife(async (life) => {
      await life.addGroup('extra', { nodeCount: 2 })
      await life.removeGroup('extra')
      const seen = await driver.observe(life.context())
      expect(seen).toMatchObject({ masterCount: 1, nodeCount: 1 })
    }),
  )

  it('C16: named nodes go first, then others down to the count', IN_TURN, () =>
    inLife(async (life) => {
      await life.resize('default-worker', 5)
      const [oldest = ''] = addressesOf(life, 'default-worker')
      await life.resize('default-worker', 3, [oldest])
      const after = addressesOf(life, 'default-worker')
      expect([after.length, after.includes(oldest)]).toEqual([3, false])
    }),
  )

  it('C16: a node that is named twice goes once, with others down to the count', IN_TURN, () =>
    inLife(async (life) => {
      await life.resize('default-worker', 5)
      const [oldest = ''] = addressesOf(life, 'default-worker')
      await life.resize('default-worker', 2, [oldest, oldest, oldest])
      const after = addressesOf(life, 'default-worker')
      expect([after.length, after.includes(oldest)]).toEqual([2, false])
      await life.resize('default-worker', 1, [oldest, oldest])
      expect(life.group('default-worker').nodeCount).toBe(2)
    }),
  )

  it('C16: nobody goes in the stead of a node that is gone already', IN_TURN, () =>
    inLife(async (life) => {
      await life.resize('default-worker', 4)
      const before = addressesOf(life, 'default-worker')
      const [oldest = '', second = ''] = before
      await life.resize('default-worker', 3, [oldest])
      expect(addressesOf(life, 'default-worker')).toEqual(before.filter((address) => address !== oldest))
      await life.resize('default-worker', 2, [oldest])
      expect(life.group('default-worker').nodeCount).toBe(3)
      await life.resize('default-worker', 1, [oldest, second])
      expect(addressesOf(life, 'default-worker')).toEqual(before.slice(2))
      expect(life.group('default-worker').nodeCount).toBe(2)
    }),
  )

  it('C16: named nodes are replaced when the count stays', IN_TURN, () =>
    inLife(async (life) => {
      await life.resize('default-worker', 2)
      const [first = '', second = ''] = addressesOf(life, 'default-worker')
      await life.resize('default-worker', 2, [first])
      const after = addressesOf(life, 'default-worker')
      expect([after.length, after.includes(first), after.includes(second)]).toEqual([2, false, true])
    }),
  )
}

const describeUpgrade = (driver: ClusterDriver, inLife: InLife): void => {
  it('C20: a change that is taken back leaves as many nodes as before', IN_TURN, () =>
    inLife(async (life) => {
      await life.addGroup('extra', { nodeCount: 2 })
      const { id: nodeGroupId } = life.group('extra')
      const counts = (): number[] => life.nodeGroups.map((group) => shape(group).addresses)
      for (const task of [
        { kind: 'resize', nodeGroupId, nodeCount: 4, nodesToRemove: [] },
        { kind: 'resize', nodeGroupId, nodeCount: 1, nodesToRemove: [] },
        { kind: 'node-group-update', nodeGroupId, nodeCount: 3 },
        { kind: 'node-group-delete', nodeGroupId },
      ] as const) {
        await life.undo(task)
        expect(counts(), task.kind).toEqual([1, 1, 2])
      }
      const { flavorId, imageId } = life.group('extra')
      const late = nodeGroupEntity('late', { number: 4, nodeCount: 2, flavorId, imageId })
      life.nodeGroups = [...life.nodeGroups, late]
      await life.undo({ kind: 'node-group-create', nodeGroupId: life.group('late').id })
      expect(counts()).toEqual([1, 1, 2, 0])
    }),
  )

  it('C18: an upgrade brings the default groups to the version of the new template', IN_TURN, () =>
    inLife(async (life, { newer }) => {
      if (driver.phases.update.upgrade === undefined) return
      const before = life.group('default-worker').version
      await life.upgrade(newer)
      const versions = new Set(life.nodeGroups.map(({ version }) => version))
      expect([versions.size, versions.has(before)]).toEqual([1, false])
      expect(life.cluster.observation?.version).toBe(life.group('default-master').version)
    }),
  )

  if (driver.phases.update['rotate-authority'] !== undefined) {
    it('C19: the certificate of the new authority is in the endpoint after its rotation', IN_TURN, () =>
      inLife(async (life, making) => {
        await life.rotateAuthority()
        const authority = await making.authority('kubernetes', 2)
        expect(life.cluster.endpoint?.caPem).toBe(authority?.certificatePem)
      }),
    )
  }
}

/** Rules for drivers with the capability `makesNodes`. */
export const describeMaking = (driver: ClusterDriver, options: MakingSuiteOptions): void => {
  const { inLab, isSlow } = options

  it('C14: check tells each fault in a sentence', () =>
    inLab(async (lab) => {
      const good = new ClusterLife(driver, lab).plan()
      const { faulty } = makingOf(lab)
      expect(faulty.length).toBeGreaterThan(0)
      for (const spoil of faulty) {
        const plan = frozen(spoil(good))
        const faults = driver.check(plan)
        expect(faults.length).toBeGreaterThan(0)
        for (const fault of faults) expect(fault).toMatch(SENTENCE)
        expect(driver.check(plan)).toEqual(faults)
      }
    }))

  describe('changes of node groups', () => describeChanges(driver, lives(driver, options)))
  describe('what is taken back, and what is made anew', () => describeUpgrade(driver, lives(driver, options)))
  if (!isSlow) describeWholeLives(driver, inLab)
}
