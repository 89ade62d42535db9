import { describe, expect, it } from 'vitest'
import type { CapiSite } from '../../../../functions/drivers/cluster/capi/v1/management/snapshot.ts'
import { removeMachinesWithoutNode } from '../../../../functions/drivers/cluster/capi/v1/phases/phase.ts'
import { NOW, type Part, snapshot } from './snapshots.ts'

/** What is deleted of a cluster with the given worker and a second master. */
const deleted = async (second: Part, first: Part = {}): Promise<string[]> => {
  const names: string[] = []
  const site = {
    client: { delete: async (_: unknown, name: string, { uid }: { uid: string }) => names.push(`${name} ${uid}`) },
    names: { namespace: 'fedplane-local' },
  } as unknown as CapiSite & Parameters<typeof removeMachinesWithoutNode>[0]
  const [old, added] = [snapshot({ master: first }), snapshot({ master: second })]
  const [master] = added.machines
  if (master === undefined) throw new Error('there is no master')
  const twin = { ...master, metadata: { ...master.metadata, name: 'second', uid: 'second-uid' } }
  await removeMachinesWithoutNode(site, { ...old, machines: [...old.machines, twin] }, NOW)
  return names
}

const minutesAgo = (minutes: number) => ({
  creationTimestamp: new Date(Date.parse(NOW) - minutes * 60_000).toISOString(),
})
const UNBORN: Part = {
  conditions: { UpToDate: 'False NotUpToDate', InfrastructureReady: 'False NotReady' },
  status: { nodeRef: undefined },
  metadata: minutesAgo(1),
}
const RUNS: Part = { ...UNBORN, conditions: { UpToDate: 'False NotUpToDate', InfrastructureReady: 'True' } }

describe('removeMachinesWithoutNode', () => {
  it('deletes one that is not wanted any more and has nothing that runs', async () =>
    expect(await deleted(UNBORN)).toEqual(['second second-uid']))

  it('gives one that runs ten minutes to join', async () => {
    expect(await deleted({ ...RUNS, metadata: minutesAgo(9) })).toEqual([])
    expect(await deleted({ ...RUNS, metadata: minutesAgo(11) })).toEqual(['second second-uid'])
  })

  it.each<[string, Part]>([
    ['is what is wanted', { ...UNBORN, conditions: { ...UNBORN.conditions, UpToDate: 'True' } }],
    ['is not judged yet', { ...UNBORN, conditions: { InfrastructureReady: 'False NotReady' } }],
    ['has a node', { ...UNBORN, status: {} }],
    ['goes already', { ...UNBORN, metadata: { ...UNBORN.metadata, deletionTimestamp: NOW } }],
  ])('leaves one that %s', async (_, part) => expect(await deleted(part)).toEqual([]))

  it('deletes none where no master has a node', async () => expect(await deleted(UNBORN, UNBORN)).toEqual([]))
})
