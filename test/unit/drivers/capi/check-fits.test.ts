import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { check } from '../../../../functions/drivers/cluster/capi/v1/checks/check.ts'
import { type Sample, sampleGroups, samplePlanned } from '../../../support/capi/samples.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const TAG = { kube_tag: 'v1.35.2' }

const faultsOf = (sample: Sample, infrastructure = 'dev'): string[] => check(samplePlanned(infrastructure, sample))

/** What fits to nothing, whoever makes the machines. */
describe.each(['dev', 'openstack'])('check of a new cluster on %s', (infrastructure) => {
  it.each<[string, Record<string, string>, string]>([
    [
      'pods in the network of Services',
      { calico_ipv4pool: '10.254.0.0/16' },
      'The networks of pods (10.254.0.0/16) and Services (10.254.0.0/16) share addresses; give networks that do not overlap, by label.',
    ],
    [
      'Services in the network of pods',
      { service_cluster_ip_range: '10.100.0.0/16' },
      'The networks of pods (10.100.0.0/16) and Services (10.100.0.0/16) share addresses; give networks that do not overlap, by label.',
    ],
    [
      'half of OpenID Connect',
      { oidc_client_id: 'kubernetes' },
      'Labels oidc_issuer_url and oidc_client_id go together: with one of them, or others of OpenID Connect alone, no API server starts; give both, or none.',
    ],
    [
      'a version that kubeadm no longer makes',
      { kube_tag: 'v1.2.0' },
      'Label kube_tag is v1.2.0; Cluster API makes no clusters of Kubernetes before v1.22.0: give a newer version.',
    ],
    [
      'version zero',
      { kube_tag: 'v0.0.0' },
      'Label kube_tag is v0.0.0; Cluster API makes no clusters of Kubernetes before v1.22.0: give a newer version.',
    ],
  ])('refuses %s', (_, labels, sentence) =>
    expect(faultsOf({ templateLabels: { ...TAG, ...labels } }, infrastructure)).toStrictEqual([sentence]),
  )
})

it('leaves the network of nodes to OpenStack', () =>
  expect(faultsOf({ templateLabels: { ...TAG, calico_ipv4pool: '10.0.0.0/16' } })).toStrictEqual([]))

describe('check of a new group', () => {
  const GROUPS = sampleGroups({ version: 'v1.35.2', reachedCount: 1 })
  const withGroup = (group: Partial<NodeGroup>, labels: Record<string, string> = TAG): string[] => {
    const gpu = nodeGroupEntity('gpu', { number: 3, nodeCount: 1, flavorId: 'gpu', ...group })
    const task: ClusterTask = { kind: 'node-group-create', nodeGroupId: gpu.id }
    return faultsOf({ nodeGroups: [...GROUPS, gpu], labels, templateLabels: TAG, task })
  }
  const SCALED = { auto_scaling_enabled: 'true' }

  it('refuses an autoscaler without a most', () =>
    expect(withGroup({ labels: SCALED })).toStrictEqual([
      'Label auto_scaling_enabled is true, and nothing says how many nodes group gpu has at most; give "max_node_count".',
    ]))

  it.each<[string, Partial<NodeGroup>, Record<string, string>?]>([
    ['one with a most', { labels: SCALED, maxNodeCount: 3 }],
    [
      'one whose cluster alone is scaled, which has the number of nodes that was asked for',
      { labels: { ...TAG, ...SCALED } },
      { ...TAG, ...SCALED },
    ],
    ["its cluster's version", { labels: { kube_tag: 'v1.35.2' } }],
    ["its cluster's labels", { labels: { kube_tag: 'v1.34.0' } }, { kube_tag: 'v1.34.0' }],
  ])('takes %s', (_, group, labels) => expect(withGroup(group, labels)).toStrictEqual([]))

  it('refuses another version than that of its cluster', () =>
    expect(withGroup({ labels: { kube_tag: 'v1.34.0' } })).toStrictEqual([
      "Label kube_tag of node group gpu is v1.34.0; a new group runs its cluster's version, v1.35.2: leave the label out.",
    ]))
})
