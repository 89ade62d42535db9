import { expect, it } from 'vitest'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { type ClusterLab, ClusterLife, type ManagementLab } from '../../support/drivers/cluster-life.ts'
import { unreachable } from '../../support/drivers/test-cluster.ts'
import type { MadeCluster } from './made-cluster.ts'

type InLab = (use: (lab: ClusterLab) => Promise<void>) => Promise<void>

const SENTENCE = /^[A-Z].*\.$/s

const managementOf = ({ management }: ClusterLab): ManagementLab => {
  if (management === undefined) throw new Error('the lab of a driver that needs management clusters needs `management`')
  return management
}

/** The same lab, whose management cluster is out of reach. */
const withoutWay = (lab: ClusterLab): ClusterLab => {
  const management = managementOf(lab)
  const { cluster, options } = management.access
  const access = {
    ...unreachable(cluster, new ConnectFailed('The management cluster refused the connection.')),
    options,
  }
  return { ...lab, management: { ...management, access } }
}

/** Rules for drivers with the capability `needsManagement`. */
export const describeManagement = (driver: ClusterDriver, inLab: InLab): void => {
  it('C23: checkManagement finds no error in a good management cluster, and says in sentences what another lacks', () =>
    inLab(async (lab) => {
      const { access, unfit } = managementOf(lab)
      const errorsOf = async (of: ManagementLab['access']) =>
        ((await driver.checkManagement?.(of)) ?? []).filter(({ severity }) => severity === 'error')
      expect(await errorsOf(access)).toEqual([])
      const errors = await errorsOf(unfit)
      expect(errors.length).toBeGreaterThan(0)
      for (const { message, reason } of errors) {
        expect(message).toMatch(SENTENCE)
        expect(reason).toMatch(/^[A-Z][A-Za-z]+$/)
      }
    }))

  it('C23: check refuses a cluster without a management cluster in a sentence', () =>
    inLab(async (lab) => {
      const faults = driver.check({ ...new ClusterLife(driver, lab).plan(), management: null })
      expect(faults.length).toBeGreaterThan(0)
      for (const fault of faults) expect(fault).toMatch(SENTENCE)
    }))

  it('C24: preview takes a good cluster, and makes nothing: the create after it makes it', () =>
    inLab(async (lab) => {
      const life = new ClusterLife(driver, lab)
      await driver.preview?.(life.context())
      await driver.preview?.(life.context())
      await life.create()
      expect(life.cluster.observation?.healthStatus).toBe('HEALTHY')
    }))

  it('C26: a create that failed before anything was there is not complete', () =>
    inLab(async (lab) => {
      expect(driver.phases.create.filter(({ undo }) => undo !== undefined)).toEqual([])
      const life = new ClusterLife(driver, lab)
      life.cluster = { ...life.cluster, status: 'CREATE_FAILED' }
      expect((await driver.observe(life.context())).isComplete ?? false).toBe(false)
    }))
}

/** Those that an observation of a cluster is enough for. */
export const describeMadeThrough = (driver: ClusterDriver, made: MadeCluster): void => {
  it('C25: while its management cluster is out of reach nothing is known of its health, and of a preview it is reported', async () => {
    const cut = made.copy({ lab: withoutWay(made.life().lab) })
    // What it throws of this the caller takes for UNKNOWN.
    const seen = await driver.observe(cut.context()).catch((error: unknown) => {
      expect(error).toBeInstanceOf(ConnectFailed)
      return { healthStatus: 'UNKNOWN' as const }
    })
    expect(seen.healthStatus).toBe('UNKNOWN')
    await expect(driver.preview?.(cut.context()) ?? Promise.reject(new ConnectFailed('none'))).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })

  it('C26: an observation says when it has come up after all, and its create goes through', async () => {
    const life = made.copy()
    expect(await driver.observe(life.context())).not.toMatchObject({ isComplete: true })
    life.cluster = { ...life.cluster, status: 'CREATE_FAILED' }
    expect(await driver.observe(life.context())).toMatchObject({ isComplete: true })
    await life.create()
    expect(life.cluster.observation?.healthStatus).toBe('HEALTHY')
  })

  it('C27: an observation tells of the groups that there are, what the phases told of them', async () => {
    const life = made.life()
    const { nodeGroups: told = [] } = await driver.observe(life.context())
    expect(life.nodeGroups.map(({ id }) => id)).toEqual(expect.arrayContaining(told.map(({ id }) => id)))
    for (const { id, ...now } of told) {
      const { nodeCount, nodeAddresses, version } = life.nodeGroups.find((group) => group.id === id) ?? {}
      const stored = { nodeCount, nodeAddresses, version }
      expect({ ...stored, ...now }).toEqual(stored)
    }
  })
}
