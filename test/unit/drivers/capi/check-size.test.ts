import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { check } from '../../../../functions/drivers/cluster/capi/v1/checks/check.ts'
import { MANAGEMENT_FIELDS } from '../../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import { type Sample, sampleGroups, samplePlanned } from '../../../support/capi/samples.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const faultsOf = (sample: Sample): string[] => check(samplePlanned('dev', sample))

const GROUPS = [
  ...sampleGroups({ version: 'v1.35.2', reachedCount: 1 }),
  nodeGroupEntity('gpu', { number: 3, version: 'v1.35.2', nodeCount: 1, reachedCount: 1 }),
]
const [MASTER, WORKER, GPU] = GROUPS as [NodeGroup, NodeGroup, NodeGroup]

const resize = ({ id }: NodeGroup, nodeCount: number): ClusterTask => ({
  kind: 'resize',
  nodeGroupId: id,
  nodeCount,
  nodesToRemove: [],
})

const tooMany = (count: number, most = 1000): string =>
  `Cluster paris would have up to ${count} nodes, masters among them; a cluster of management cluster mgmt may have ${most} ("max_nodes_per_cluster"). Ask for fewer, or its administrator for more.`

const LARGEST = 2 ** 31 - 1
const SCALED = { auto_scaling_enabled: 'true' }

describe('check of a size', () => {
  it.each<[string, Sample, string]>([
    ['a new cluster', { nodeGroups: [MASTER, { ...WORKER, nodeCount: LARGEST }] }, tooMany(LARGEST + 1)],
    ['a resize', { nodeGroups: GROUPS, task: resize(WORKER, 999) }, tooMany(1001)],
    [
      'a new group',
      {
        nodeGroups: [MASTER, WORKER, { ...GPU, nodeCount: LARGEST, reachedCount: 0 }],
        task: { kind: 'node-group-create', nodeGroupId: GPU.id },
      },
      tooMany(LARGEST + 2),
    ],
    [
      'fewest nodes that move the count up',
      { nodeGroups: GROUPS, task: { kind: 'node-group-update', nodeGroupId: GPU.id, nodeCount: 2000 } },
      tooMany(2002),
    ],
    [
      'what an autoscaler might come to',
      {
        nodeGroups: [MASTER, WORKER, { ...GPU, maxNodeCount: 5000, labels: SCALED }],
        task: { kind: 'node-group-update', nodeGroupId: GPU.id, nodeCount: null },
      },
      tooMany(5002),
    ],
    [
      'the same by a label',
      { nodeGroups: [MASTER, { ...WORKER, labels: { ...SCALED, max_node_count: '1000000' } }] },
      tooMany(1000001),
    ],
    [
      'groups that are small each',
      {
        nodeGroups: [MASTER, { ...WORKER, nodeCount: 600 }, { ...GPU, nodeCount: 600, reachedCount: 0 }],
        task: { kind: 'node-group-create', nodeGroupId: GPU.id },
      },
      tooMany(1201),
    ],
    [
      'more than the registration says',
      { nodeGroups: GROUPS, task: resize(WORKER, 5), options: { max_nodes_per_cluster: '6' } },
      tooMany(7, 6),
    ],
    [
      'masters that etcd would not bear',
      { nodeGroups: [{ ...MASTER, nodeCount: 99_999_999 }, WORKER] },
      'Node group default-master would have 99999999 masters; give an odd number of at most 9, so that etcd stays quick.',
    ],
    [
      'more masters',
      { nodeGroups: GROUPS, task: resize(MASTER, 11) },
      'Node group default-master would have 11 masters; give an odd number of at most 9, so that etcd stays quick.',
    ],
  ])('refuses %s', (_, sample, sentence) => expect(faultsOf(sample)).toContain(sentence))

  it.each<[string, Sample]>([
    ['as many as there may be', { nodeGroups: GROUPS, task: resize(WORKER, 998) }],
    ['nine masters', { nodeGroups: GROUPS, task: resize(MASTER, 9) }],
    [
      'as many as the registration says',
      { nodeGroups: GROUPS, task: resize(WORKER, 4998), options: { max_nodes_per_cluster: '5000' } },
    ],
    [
      'what is not scaled, whatever its limit',
      { nodeGroups: [MASTER, WORKER, { ...GPU, maxNodeCount: 5000 }], task: resize(GPU, 2) },
    ],
    [
      'a group becoming smaller in a cluster that is too large',
      {
        nodeGroups: [MASTER, { ...WORKER, nodeCount: 3000, reachedCount: 3000 }, GPU],
        task: resize(WORKER, 2000),
      },
    ],
    [
      'the end of one there',
      {
        nodeGroups: [MASTER, { ...WORKER, nodeCount: 3000, reachedCount: 3000 }, GPU],
        task: { kind: 'node-group-delete', nodeGroupId: GPU.id },
      },
    ],
    [
      'a group beside one that came to nothing',
      { nodeGroups: [MASTER, WORKER, { ...GPU, nodeCount: 5000, status: 'CREATE_FAILED' }], task: resize(WORKER, 3) },
    ],
  ])('takes %s', (_, sample) => expect(faultsOf(sample)).toStrictEqual([]))
})

describe('max_nodes_per_cluster', () => {
  const [field] = MANAGEMENT_FIELDS.filter(({ name }) => name === 'max_nodes_per_cluster')

  it.each(['1', '1000', '99999'])('may be %s', (text) => expect(field?.pattern.test(text)).toBe(true))
  it.each(['0', '-1', '1e9', '1000000', 'many', '1 000'])('may not be %j', (text) =>
    expect(field?.pattern.test(text)).toBe(false),
  )
})
