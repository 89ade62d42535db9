import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import { memoryClusterV1 } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import type { PlannedCluster } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import { defaultGroups, nodeGroupEntity, templateEntity } from '../../support/drivers/cluster-samples.ts'
import { clusterEntity } from '../../support/drivers/test-cluster.ts'

type Desired = {
  labels?: Record<string, string>
  templateLabels?: Record<string, string>
  nodeGroups?: readonly NodeGroup[]
  task?: ClusterTask
}

const faultsOf = ({ labels = {}, templateLabels = {}, nodeGroups, task }: Desired): string[] => {
  const { magnum, ...rest } = clusterEntity({ driver: 'memory@1' })
  const plan: PlannedCluster = {
    cluster: { ...rest, magnum: { ...magnum, labels } },
    template: templateEntity(templateLabels),
    nodeGroups: nodeGroups ?? defaultGroups(rest.id),
    task: task ?? null,
    management: null,
  }
  return memoryClusterV1.check(plan)
}

const resizeOf = (group: NodeGroup | undefined, nodeCount: number, nodesToRemove: string[] = []): ClusterTask => ({
  kind: 'resize',
  nodeGroupId: group?.id ?? '',
  nodeCount,
  nodesToRemove,
})

describe('check of a new cluster', () => {
  it.each([
    ['memory-delay-seconds', 'soon', 'give a whole number of seconds from 0 to 9999.'],
    ['memory-update-delay-seconds', '-1', 'give a whole number of seconds from 0 to 9999.'],
    ['memory-delete-delay-seconds', '10000', 'give a whole number of seconds from 0 to 9999.'],
    ['memory-fail-phase', 'provison', 'give one of provision, identify, resize, '],
    ['memory-uid', '', 'give a text that is not empty.'],
    ['memory-health', 'ill', 'give HEALTHY or UNHEALTHY.'],
    ['memory-api-address', 'http://127.0.0.1', 'give the https:// address of an API server, such as '],
    ['memory-api-address', '127.0.0.1:6443', 'give the https:// address of an API server, such as '],
    ['kube_tag', 'latest', 'give a Kubernetes version such as v1.36.0.'],
  ])('tells that the label %s can not be %j', (label, value, expected) => {
    const faults = faultsOf({ labels: { [label]: value } })
    expect(faults).toHaveLength(1)
    expect(faults[0]?.startsWith(`Label ${label} of the cluster is ${JSON.stringify(value)}; ${expected}`)).toBe(true)
  })

  it('takes what can be read, and labels that are not its own', () => {
    const labels = {
      'memory-delay-seconds': '0',
      'memory-update-delay-seconds': '9999',
      'memory-fail-phase': 'upgrade',
      'memory-fail-step': 'register',
      'memory-api-address': 'https://127.0.0.1:6443/prefix',
      kube_tag: '1.35.2-rancher1-1',
      zone: 'a',
    }
    expect(faultsOf({ labels })).toEqual([])
  })

  it('reads the version of the template where the cluster names none', () => {
    const templateLabels = { kube_tag: 'latest' }
    expect(faultsOf({ templateLabels })).toEqual([
      'Label kube_tag of the cluster template is "latest"; give a Kubernetes version such as v1.36.0.',
    ])
    expect(faultsOf({ templateLabels, labels: { kube_tag: 'v1.35.0' } })).toEqual([])
  })

  it.each([0, 2, 4])('refuses %i masters', (masters) => {
    expect(faultsOf({ nodeGroups: defaultGroups('c', { masters }) })).toEqual([
      `Node group default-master would have ${masters} masters; give an odd number, so that etcd keeps a majority.`,
    ])
  })

  it('takes 1000 nodes and no more', () => {
    expect(faultsOf({ nodeGroups: defaultGroups('c', { masters: 3, workers: 997 }) })).toEqual([])
    expect(faultsOf({ nodeGroups: defaultGroups('c', { masters: 3, workers: 998 }) })).toEqual([
      'The cluster would have 1001 nodes; memory@1 simulates 1000 at most.',
    ])
  })

  it('tells several faults at once', () => {
    const labels = { 'memory-health': 'ill', kube_tag: 'x' }
    expect(faultsOf({ labels, nodeGroups: defaultGroups('c', { masters: 2, workers: 1000 }) })).toHaveLength(4)
  })
})

describe('check of a task', () => {
  it('counts a resize whether or not the group has the new count already', () => {
    const groups = defaultGroups('c')
    const [master, worker] = groups
    expect(faultsOf({ nodeGroups: groups, task: resizeOf(master, 2) })).toHaveLength(1)
    expect(faultsOf({ nodeGroups: groups, task: resizeOf(master, 3) })).toEqual([])
    expect(faultsOf({ nodeGroups: groups, task: resizeOf(worker, 999) })).toEqual([])
    expect(faultsOf({ nodeGroups: groups, task: resizeOf(worker, 1000) })).toHaveLength(1)
    const grown = defaultGroups('c', { workers: 1000 })
    expect(faultsOf({ nodeGroups: grown, task: resizeOf(grown[1], 1000) })).toHaveLength(1)
  })

  it('refuses to leave an even number of masters because one that is named is gone already', () => {
    const [master] = defaultGroups('c')
    const cluster = clusterEntity({ driver: 'memory@1', driverState: {} })
    if (master === undefined) throw new Error('no master')
    const key = `memory-nodes-${master.id.replaceAll('-', '').slice(-10)}`
    const plan = {
      cluster: { ...cluster, driverState: { [key]: { next: 10, runs: [[1, 5]] } } },
      template: null,
      nodeGroups: [{ ...master, nodeCount: 3 }],
      task: resizeOf(master, 3, ['10.0.64.9']),
      management: null,
    }
    expect(memoryClusterV1.check(plan)).toEqual([
      'Node group default-master would have 4 masters; give an odd number, so that etcd keeps a majority.',
    ])
    expect(memoryClusterV1.check({ ...plan, task: resizeOf(master, 3, ['10.0.64.1', '10.0.64.2']) })).toEqual([])
  })

  it('counts the names of one master once', () => {
    const [master] = defaultGroups('c')
    const cluster = clusterEntity({ driver: 'memory@1', driverState: {} })
    if (master === undefined) throw new Error('no master')
    const short = cluster.id.replaceAll('-', '').slice(-10)
    const key = `memory-nodes-${master.id.replaceAll('-', '').slice(-10)}`
    const names = ['10.0.64.1', '10.0.64.1', `${short}-default-master-1`]
    const plan = {
      cluster: { ...cluster, driverState: { [key]: { next: 4, runs: [[1, 3]] } } },
      template: null,
      nodeGroups: [{ ...master, nodeCount: 1 }],
      task: resizeOf(master, 1, names),
      management: null,
    }
    expect(memoryClusterV1.check(plan)).toEqual([])
  })

  it('refuses names that no node of the group ever had', () => {
    const [, worker] = defaultGroups('c')
    if (worker === undefined) throw new Error('no workers')
    const { driverState: _, ...rest } = clusterEntity({ driver: 'memory@1' })
    const key = `memory-nodes-${worker.id.replaceAll('-', '').slice(-10)}`
    const cluster = { ...rest, driverState: { [key]: { next: 5, runs: [[2, 3]] as [number, number][] } } }
    const short = rest.id.replaceAll('-', '').slice(-10)
    const check = (...names: string[]) =>
      memoryClusterV1.check({
        cluster,
        template: null,
        nodeGroups: [worker],
        task: resizeOf(worker, 1, names),
        management: null,
      })
    const gone = `${short}-default-worker-4`
    expect(check(`${short}-default-worker-2`, '10.0.128.3', gone)).toEqual([])
    expect(check('paris', gone, `${short}-default-worker-5`)).toEqual([
      `Node group default-worker has no nodes "paris" and "${short}-default-worker-5". ` +
        `Its nodes are ${short}-default-worker-2 (10.0.128.2) and ${short}-default-worker-3 (10.0.128.3).`,
    ])
  })

  it('reads the labels of a new node group, and its number', () => {
    const group = nodeGroupEntity('gpu', { number: 1024, nodeCount: 0, labels: { 'memory-fail': 'yes' } })
    const nodeGroups = [...defaultGroups('c'), group]
    expect(faultsOf({ nodeGroups, task: { kind: 'node-group-create', nodeGroupId: group.id } })).toEqual([
      'Label memory-fail of node group gpu is "yes"; give true, false, or one of resize, node-group-create, ' +
        'node-group-update, node-group-delete, upgrade.',
      'Node group gpu would be number 1024 of the cluster; memory@1 simulates 1023 at most.',
    ])
  })

  it('does not hold faults of the cluster against a task that repairs or ends', () => {
    const nodeGroups = defaultGroups('c', { masters: 2 })
    const labels = { 'memory-health': 'ill' }
    const [master, worker] = nodeGroups
    for (const task of [
      resizeOf(worker, 2),
      resizeOf(master, 3),
      { kind: 'node-group-delete', nodeGroupId: worker?.id ?? '' } as const,
      { kind: 'rotate-authority' } as const,
    ]) {
      expect(faultsOf({ nodeGroups, labels, task })).toEqual([])
    }
  })
})
