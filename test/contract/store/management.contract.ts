import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ManagementRole } from '../../../functions/core/cluster/cluster.ts'
import type { DriverId } from '../../../functions/core/values/ids.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes, stored } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleId } from '../../support/store/samples.ts'

/** What every implementation of `ManagementStore` does. */
export const managementStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  let made = 0
  /** A driver for each test, since management clusters are those of all projects. */
  const newDriver = (): DriverId => {
    made += 1
    return `d@${made}`
  }
  const role = (driver: DriverId, changes: Partial<ManagementRole> = {}): ManagementRole => ({
    driver,
    options: {},
    isDefault: false,
    ...changes,
  })
  const registered = async (driver: DriverId, changes: Partial<ManagementRole> = {}) => {
    const key = { projectId: `project-${sampleId()}`, id: sampleId() }
    const given = role(driver, changes)
    await stores.commit([stores.management.move(key, null, given)])
    return { key, given }
  }
  const use = ({ id }: { id: string }, driver: DriverId, change: 1 | -1) =>
    stores.commit([stores.management.countUse(id, driver, change)])
  const countOf = async (driver: DriverId) =>
    (await stores.management.list(driver)).map(({ clusterCount }) => clusterCount)

  it('lists those of a driver, of all projects', async () => {
    const [driver, other] = [newDriver(), newDriver()]
    const [one, two] = [await registered(driver), await registered(driver)]
    await registered(other)
    const entry = ({ key }: typeof one) => ({ ...key, driver, clusterCount: 0 })
    expect(await stores.management.list(driver)).toEqual(
      [entry(one), entry(two)].sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  describe('countUse', () => {
    it('counts those that come and go at once, and never below zero', async () => {
      const driver = newDriver()
      const { key } = await registered(driver)
      const uses = Array.from({ length: 10 }, () => use(key, driver, 1))
      expect(await outcomes(uses)).toEqual({ done: 10, errors: [] })
      expect(await countOf(driver)).toEqual([10])
      await Promise.all(Array.from({ length: 12 }, () => use(key, driver, -1)))
      expect(await countOf(driver)).toEqual([0])
    })

    it('demands that it is one of the driver, and takes less of one that is gone for done', async () => {
      const driver = newDriver()
      const { key } = await registered(driver)
      await expect(use({ id: sampleId() }, driver, 1)).rejects.toMatchObject({ name: 'ManagementGone' })
      await expect(use(key, newDriver(), 1)).rejects.toMatchObject({ name: 'ManagementGone' })
      await use({ id: sampleId() }, driver, -1)
      expect(await countOf(driver)).toEqual([0])
    })

    it('goes with a cluster or not at all', async () => {
      const driver = newDriver()
      const cluster = sampleCluster()
      const writes = [stores.clusters.insert(cluster), stores.management.countUse(sampleId(), driver, 1)]
      await expect(stores.commit(writes)).rejects.toMatchObject({ name: 'ManagementGone' })
      expect(await stores.clusters.get(cluster)).toBeUndefined()
    })
  })

  describe('move', () => {
    it.each([
      ['to none', () => null],
      ['to other options', (driver: DriverId) => role(driver, { options: { a: 'b' } })],
      ['to another driver', () => role(newDriver())],
    ])('%s demands that nothing is made through it', async (_, next) => {
      const driver = newDriver()
      const { key, given } = await registered(driver)
      await use(key, driver, 1)
      const move = () => stores.commit([stores.management.move(key, given, next(driver))])
      await expect(move()).rejects.toMatchObject({ name: 'ManagementInUse', details: { clusterCount: 1 } })
      expect(await countOf(driver)).toEqual([1])
      await use(key, driver, -1)
      await move()
    })

    it('to none is no error when it is none already', async () => {
      const driver = newDriver()
      const { key, given } = await registered(driver)
      await stores.commit([stores.management.move(key, given, null)])
      await stores.commit([stores.management.move(key, given, null)])
      expect(await stores.management.list(driver)).toEqual([])
    })

    it('changes the default whatever is made through it, and keeps the count', async () => {
      const driver = newDriver()
      const { key, given } = await registered(driver)
      await use(key, driver, 1)
      await stores.commit([stores.management.move(key, given, { ...given, isDefault: true })])
      expect(await countOf(driver)).toEqual([1])
    })

    it('lets one of several be the default of a driver, until it is none any more', async () => {
      const driver = newDriver()
      const { key, given } = await registered(driver, { isDefault: true })
      await expect(registered(driver, { isDefault: true })).rejects.toMatchObject({
        name: 'DefaultManagementTaken',
        details: { owner: key.id, driver },
      })
      await registered(newDriver(), { isDefault: true })
      await stores.commit([stores.management.move(key, given, { ...given, isDefault: false })])
      const next = await registered(driver, { isDefault: true })
      await stores.commit([stores.management.move(next.key, next.given, null)])
      await registered(driver, { isDefault: true })
    })

    it('to another driver gives the default of the first one back', async () => {
      const [driver, other] = [newDriver(), newDriver()]
      const { key, given } = await registered(driver, { isDefault: true })
      await stores.commit([stores.management.move(key, given, { ...given, driver: other })])
      await registered(driver, { isDefault: true })
      await expect(registered(other, { isDefault: true })).rejects.toMatchObject({ name: 'DefaultManagementTaken' })
    })
  })

  it('is kept with clusters as it was given', async () => {
    const cluster = sampleCluster({
      management: role('d@1', { options: { a: 'b' }, isDefault: true }),
      madeThrough: { projectId: 'operators', id: sampleId() },
    })
    await stores.commit([stores.clusters.insert(cluster)])
    expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    const read = await stores.clusters.get(cluster)
    await stores.commit([stores.clusters.change(read!, { management: null })])
    expect((await stores.clusters.get(cluster))?.management).toBeNull()
  })
}
