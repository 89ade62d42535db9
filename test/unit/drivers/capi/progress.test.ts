import { describe, expect, it } from 'vitest'
import { deletionProgress, groupProgress } from '../../../../functions/drivers/cluster/capi/v1/status/progress.ts'
import { MASTERS, snapshot, WORKERS } from './snapshots.ts'

type Parts = Parameters<typeof snapshot>[0]

const STARTING = { conditions: { MachinesReady: 'False NotReady * Machine worker-2: no host' } }
const GROWING = { ...STARTING, spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 2, availableReplicas: 1 } }

describe('groupProgress', () => {
  it.each<[string, Parts]>([
    [
      'default-worker: 2 of 3 nodes are ready (MachineDeployment/paris-x-md NotReady: Machine worker-2: no host)',
      { deployment: GROWING },
    ],
    [
      'default-worker: 0 of 100000 nodes are ready',
      { deployment: { spec: { replicas: 100_000 }, status: { readyReplicas: 0 } } },
    ],
    [
      'default-worker: 5 nodes are there, 3 are wanted',
      { deployment: { spec: { replicas: 3 }, status: { replicas: 5, readyReplicas: 5, upToDateReplicas: 5 } } },
    ],
    [
      'default-worker: 2 nodes are there, 1 is wanted, 1 is not ready (MachineDeployment/paris-x-md NotReady: Machine worker-2: no host)',
      {
        cluster: { conditions: { TopologyReconciled: 'False ClusterUpgrading Cluster is upgrading to v1.36.0' } },
        deployment: { ...STARTING, status: { replicas: 2 } },
        worker: { conditions: { Ready: 'False NotReady' } },
      },
    ],
    [
      'default-worker: 1 node is there, 0 are wanted',
      { deployment: { spec: { replicas: 0 }, status: { replicas: 1 } } },
    ],
    [
      'default-worker: 1 of 3 nodes are replaced',
      { deployment: { spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 3, upToDateReplicas: 1 } } },
    ],
    ['default-worker: the nodes to be as they shall be', {}],
    [
      'default-worker: 1 of 2 nodes are ready (Cluster/paris-x ReconcileFailed: no such class)',
      {
        cluster: { conditions: { TopologyReconciled: 'False ReconcileFailed no such class' } },
        deployment: { spec: { replicas: 2 } },
      },
    ],
  ])('says %s', (words, parts) => expect(groupProgress(snapshot(parts), WORKERS)).toBe(words))

  it('tells of a group that is not there yet, by what was asked for', () =>
    expect(groupProgress({ ...snapshot(), deployments: [], machines: [] }, { ...WORKERS, nodeCount: 4 })).toBe(
      'default-worker: 0 of 4 nodes are ready',
    ))

  it('has the trouble of its own machines before that of others', () => {
    const seen = snapshot({ plane: { conditions: { MachinesReady: 'False NotReady etcd' } }, deployment: GROWING })
    expect(groupProgress(seen, WORKERS)).toContain('no host')
    expect(groupProgress(seen, MASTERS)).toContain('etcd')
  })

  it('stays short', () => {
    const message = 'x'.repeat(5000)
    const deployment = { ...GROWING, conditions: { MachinesReady: `False NotReady ${message}` } }
    expect(groupProgress(snapshot({ deployment }), WORKERS).length).toBeLessThanOrEqual(600)
  })
})

describe('deletionProgress', () => {
  it.each<[string, Parts]>([
    ['2 nodes to be gone', {}],
    [
      '2 nodes to be gone (Cluster/paris-x WaitingForWorkersDeletion: one machine)',
      { cluster: { conditions: { Deleting: 'True WaitingForWorkersDeletion one machine' } } },
    ],
    [
      '2 nodes to be gone (Cluster/paris-x Paused: spec.paused is set to true)',
      { cluster: { conditions: { Paused: 'True Paused spec.paused is set to true' } } },
    ],
    ['2 nodes to be gone', { cluster: { conditions: { Deleting: 'True DeletionCompleted Deletion completed' } } }],
  ])('says %s', (words, parts) => expect(deletionProgress(snapshot(parts))).toBe(words))

  it('counts one node', () => {
    const seen = snapshot()
    expect(deletionProgress({ ...seen, machines: seen.machines.slice(0, 1) })).toBe('1 node to be gone')
  })

  it('says what is left after the nodes', () =>
    expect(deletionProgress({ ...snapshot(), machines: [] })).toBe('what was made beside the nodes to be gone'))
})
