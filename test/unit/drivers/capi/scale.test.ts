import { describe, expect, it } from 'vitest'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { MachineDeployment } from '../../../../functions/drivers/cluster/capi/v1/management/objects.schema.ts'
import type { CapiSite, Snapshot } from '../../../../functions/drivers/cluster/capi/v1/management/snapshot.ts'
import { machineDeploymentName } from '../../../../functions/drivers/cluster/capi/v1/model/names.ts'
import { scaleInto, scaleTo, scaleUp } from '../../../../functions/drivers/cluster/capi/v1/phases/phase.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const groupOf = (nodeCount: number, change: Partial<NodeGroup> = {}): NodeGroup =>
  nodeGroupEntity('gpu', { nodeCount, maxNodeCount: 5, labels: { auto_scaling_enabled: 'true' }, ...change })

/** Writes that came of it, with a MachineDeployment that has so many replicas; undefined: there is none yet. */
const writesOf = async (act: typeof scaleTo, group: NodeGroup, replicas: number | undefined) => {
  const writes: unknown[] = []
  const client = { patch: async (...given: unknown[]) => writes.push(given) }
  const deployments =
    replicas === undefined
      ? []
      : [
          MachineDeployment.parse({
            metadata: {
              name: 'md',
              labels: { 'topology.cluster.x-k8s.io/deployment-name': machineDeploymentName(group) },
            },
            spec: { replicas, template: { spec: { version: 'v1.35.2' } } },
            status: {},
          }),
        ]
  const site = { client, names: { cluster: 'c', namespace: 'n' } } as unknown as CapiSite
  const snapshot: Snapshot = {
    object: undefined,
    cluster: undefined,
    controlPlane: undefined,
    deployments,
    machines: [],
    servers: [],
  }
  const isChanged = await act(site, snapshot, [group])
  expect(isChanged).toBe(writes.length > 0)
  return writes
}

const written = (replicas: number) => [
  [
    { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'machinedeployments', namespace: 'n' },
    'md',
    { spec: { replicas } },
  ],
]

describe('the number of nodes of a group that an autoscaler scales', () => {
  it.each([
    [1, 3],
    [3, 1],
  ])('is written where the autoscaler writes it, from %d to %d', async (from, to) =>
    expect(await writesOf(scaleTo, groupOf(to), from)).toStrictEqual(written(to)),
  )

  it('of a new group is only raised: its autoscaler may be at work', async () => {
    expect(await writesOf(scaleUp, groupOf(3), 0)).toStrictEqual(written(3))
    expect(await writesOf(scaleUp, groupOf(3), 4)).toStrictEqual([])
  })

  it.each([
    [7, 5],
    [1, 2],
  ])('is moved into other limits, from %d to %d', async (from, to) =>
    expect(await writesOf(scaleInto, groupOf(3, { minNodeCount: 2 }), from)).toStrictEqual(written(to)),
  )

  it('is left to its autoscaler within them', async () => {
    for (const replicas of [2, 4, 5])
      expect(await writesOf(scaleInto, groupOf(3, { minNodeCount: 2 }), replicas)).toStrictEqual([])
  })

  it.each<[string, NodeGroup, number | undefined]>([
    ['is that already', groupOf(3), 3],
    ['has no MachineDeployment yet', groupOf(3), undefined],
    ['is not scaled by one: the topology says it', groupOf(3, { labels: {} }), 1],
    ['is of masters', groupOf(3, { role: 'master' }), 1],
  ])('is not written when it %s', async (_, group, replicas) => {
    expect(await writesOf(scaleTo, group, replicas)).toStrictEqual([])
    expect(await writesOf(scaleUp, group, replicas)).toStrictEqual([])
  })
})
