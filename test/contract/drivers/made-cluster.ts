import { afterAll, beforeAll } from 'vitest'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { type ClusterLab, ClusterLife, type ClusterLifeOptions } from '../../support/drivers/cluster-life.ts'

/** A place to make clusters in, which whoever opened it closes. */
export type OpenedLab = ClusterLab & { close(): Promise<void> }

/** Milliseconds for a create; real clusters may take minutes. */
const CREATE_MS = 600_000

export type MadeCluster = {
  /** To check. */
  life(): ClusterLife
  /** The same cluster, for what changes the life and not the cluster. */
  copy(other?: ClusterLifeOptions & { lab?: ClusterLab }): ClusterLife
}

/** One cluster for all tests of a `describe`: real ones take their time. */
export const madeCluster = (driver: ClusterDriver, open: () => Promise<OpenedLab>): MadeCluster => {
  let lab: OpenedLab | undefined
  let made: ClusterLife | undefined
  beforeAll(async () => {
    lab = await open()
    made = new ClusterLife(driver, lab)
    await made.create()
  }, CREATE_MS)
  afterAll(() => lab?.close())
  const life = (): ClusterLife => {
    if (made === undefined) throw new Error('the cluster was not made')
    return made
  }
  return {
    life,
    copy: ({ lab: other, ...options } = {}) => {
      const { cluster, nodeGroups, lab: own } = life()
      const copy = new ClusterLife(driver, other ?? own, options)
      copy.cluster = cluster
      copy.nodeGroups = nodeGroups
      return copy
    },
  }
}
