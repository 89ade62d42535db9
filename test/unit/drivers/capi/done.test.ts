import { describe, expect, it } from 'vitest'
import { isClusterDone, isGroupDone, isGroupGone } from '../../../../functions/drivers/cluster/capi/v1/status/done.ts'
import { versionUnderway } from '../../../../functions/drivers/cluster/capi/v1/status/groups.ts'
import { MASTERS, type Part, snapshot, WORKERS } from './snapshots.ts'

type Row = [what: string, parts: Parameters<typeof snapshot>[0]]

const LEAVING = { deletionTimestamp: '2026-11-28T11:59:00Z' }
const DEFER = { 'topology.cluster.x-k8s.io/defer-upgrade': 'true' }

const topology = (change: object) => ({
  topology: {
    version: 'v1.35.2',
    controlPlane: { replicas: 1 },
    workers: { machineDeployments: [{ name: 'default-worker-2', replicas: 1 }] },
    ...change,
  },
})

/** What keeps a whole cluster from being done (cluster-api.md 2.3). */
const OF_CLUSTER: Row[] = [
  ['its generation is not observed', { cluster: { status: { observedGeneration: 2 } } }],
  ['it is being deleted', { cluster: { metadata: LEAVING } }],
  ['Available is False', { cluster: { conditions: { Available: 'False NotAvailable' } } }],
  ['Available is Unknown', { cluster: { conditions: { Available: 'Unknown InternalError' } } }],
  ['TopologyReconciled is False', { cluster: { conditions: { TopologyReconciled: 'False ClusterUpgrading' } } }],
  ['TopologyReconciled is Unknown', { cluster: { conditions: { TopologyReconciled: 'Unknown x' } } }],
  ['it has no condition yet', { cluster: { status: { conditions: [] } } }],
  ['the topology is not what was made', { cluster: { spec: topology({ controlPlane: { replicas: 3 } }) } }],
  ['the topology has another version', { cluster: { spec: topology({ version: 'v1.36.0' }) } }],
  [
    'a group is not made yet',
    {
      cluster: {
        spec: topology({
          workers: { machineDeployments: [{ name: 'default-worker-2', replicas: 1 }, { name: 'extra-3' }] },
        }),
      },
    },
  ],
  ['a group is not gone yet', { cluster: { spec: topology({ workers: { machineDeployments: [] } }) } }],
]

const OF_CONTROL_PLANE: Row[] = [
  ['its generation is not observed', { plane: { status: { observedGeneration: 2 } } }],
  ['it is being deleted', { plane: { metadata: LEAVING } }],
  ['a machine is missing', { plane: { status: { replicas: 0 } } }],
  ['a machine is too many', { plane: { status: { replicas: 2 } } }],
  ['a machine is not available', { plane: { status: { availableReplicas: 0 } } }],
  ['a machine is not up to date', { plane: { status: { upToDateReplicas: 0 } } }],
  ['Available is False', { plane: { conditions: { Available: 'False NotAvailable' } } }],
  ['Available is Unknown', { plane: { conditions: { Available: 'Unknown x' } } }],
  ['it is RollingOut', { plane: { conditions: { RollingOut: 'True' } } }],
  ['it is ScalingUp', { plane: { conditions: { ScalingUp: 'True' } } }],
  ['it is ScalingDown', { plane: { conditions: { ScalingDown: 'True' } } }],
]

const OF_DEPLOYMENT: Row[] = [
  ['its generation is not observed', { deployment: { status: { observedGeneration: 2 } } }],
  ['a machine is missing', { deployment: { status: { replicas: 0 } } }],
  ['a machine is not available', { deployment: { status: { availableReplicas: 0 } } }],
  ['a machine is not up to date', { deployment: { status: { upToDateReplicas: 0 } } }],
  ['it is RollingOut', { deployment: { conditions: { RollingOut: 'True' } } }],
]

/** What does not count: conditions that are well when they are False, or that say nothing of the nodes. */
const DONE: Row[] = [
  ['all is well', {}],
  ['conditions that are well when they are False are absent', { cluster: { conditions: { RollingOut: 'Unknown x' } } }],
  ['the phase of a group says anything', { deployment: { status: { phase: 'Unknown' } } }],
  ['a group scales without RollingOut', { deployment: { conditions: { ScalingUp: 'True' } } }],
  [
    'none of none is there',
    {
      cluster: { spec: topology({ workers: { machineDeployments: [{ name: 'default-worker-2', replicas: 0 }] } }) },
      deployment: {
        spec: { replicas: 0, template: { spec: { version: 'v1.35.2' } } },
        status: { replicas: 0, availableReplicas: 0, upToDateReplicas: 0 },
      },
    },
  ],
  [
    'an autoscaler has the count',
    { cluster: { spec: topology({ workers: { machineDeployments: [{ name: 'default-worker-2' }] } }) } },
  ],
  [
    'a group waits for an upgrade of its own',
    {
      cluster: {
        spec: topology({
          workers: {
            machineDeployments: [{ name: 'default-worker-2', replicas: 1, metadata: { annotations: DEFER } }],
          },
        }),
        conditions: { TopologyReconciled: 'False MachineDeploymentsUpgradeDeferred' },
      },
      deployment: { spec: { replicas: 1, template: { spec: { version: 'v1.34.0' } } } },
    },
  ],
]

describe('isClusterDone', () => {
  it.each(DONE)('is true when %s', (_, parts) => {
    expect(isClusterDone(snapshot(parts))).toBe(true)
  })

  it.each([...OF_CLUSTER, ...OF_CONTROL_PLANE, ...OF_DEPLOYMENT])('is false when %s (%o)', (_, parts) => {
    expect(isClusterDone(snapshot(parts))).toBe(false)
  })

  it('is false without a Cluster, or a control plane', () => {
    expect(isClusterDone({ ...snapshot(), cluster: undefined })).toBe(false)
    expect(isClusterDone({ ...snapshot(), controlPlane: undefined })).toBe(false)
  })

  it('is false while the topology controller has not seen the last change', () => {
    const stale: Part = { metadata: { generation: 4 }, status: { observedGeneration: 4 } }
    const old = snapshot({ cluster: { ...stale, conditions: {} } })
    expect(isClusterDone(old)).toBe(false)
  })
})

describe('isGroupDone', () => {
  it.each([...OF_CONTROL_PLANE, ...OF_DEPLOYMENT])('checks what makes its machines: %s', (_, parts = {}) => {
    const seen = snapshot(parts)
    expect([isGroupDone(seen, MASTERS), isGroupDone(seen, WORKERS)]).toEqual([
      parts.plane === undefined,
      parts.deployment === undefined,
    ])
  })

  const UPGRADING = { TopologyReconciled: 'False ClusterUpgrading' }
  const newer = topology({ version: 'v1.36.0' })

  it('takes a group as it is while others are upgraded', () => {
    const seen = snapshot({ cluster: { conditions: UPGRADING } })
    expect([isGroupDone(seen, MASTERS), isGroupDone(seen, WORKERS)]).toEqual([true, true])
    const stale = snapshot({ cluster: { conditions: UPGRADING, metadata: { generation: 4 } } })
    expect([isGroupDone(stale, MASTERS), isGroupDone(stale, WORKERS)]).toEqual([false, false])
  })

  it('takes workers as they are while the control plane is on its way to another version', () => {
    const seen = snapshot({ cluster: { conditions: UPGRADING, spec: newer } })
    expect(versionUnderway(seen)).toBe('v1.36.0')
    expect([isGroupDone(seen, MASTERS), isGroupDone(seen, WORKERS)]).toEqual([false, true])
    const short = snapshot({ cluster: { spec: newer }, deployment: { status: { availableReplicas: 0 } } })
    expect(isGroupDone(short, WORKERS)).toBe(false)
  })

  it('waits for workers of an older version when the control plane has come to the new one', () => {
    const plane = { spec: { version: 'v1.36.0' } }
    const seen = snapshot({ cluster: { conditions: UPGRADING, spec: newer }, plane, master: plane })
    expect(versionUnderway(seen)).toBeUndefined()
    expect([isGroupDone(seen, MASTERS), isGroupDone(seen, WORKERS)]).toEqual([true, false])
    expect(versionUnderway(snapshot({ cluster: { spec: newer }, plane }))).toBe('v1.36.0')
  })

  it('waits for machines of an older version while the counters of what makes them are those of before', () => {
    const made = { spec: { version: 'v1.36.0', template: { spec: { version: 'v1.36.0' } } } }
    const told = { cluster: { conditions: UPGRADING, spec: newer }, plane: made, deployment: made, master: made }
    expect(isGroupDone(snapshot(told), WORKERS)).toBe(false)
    expect(isGroupDone(snapshot({ ...told, worker: made }), WORKERS)).toBe(true)
  })

  it('waits for machines that are on their way out', () => {
    const seen = snapshot()
    const [master] = seen.machines
    expect(isGroupDone({ ...seen, machines: [...seen.machines, ...(master ? [master] : [])] }, MASTERS)).toBe(false)
  })
})

describe('isGroupGone', () => {
  it('is true when neither what makes machines nor a machine is left', () => {
    const seen = snapshot()
    expect(isGroupGone(seen, WORKERS)).toBe(false)
    expect(isGroupGone({ ...seen, deployments: [] }, WORKERS)).toBe(false)
    expect(isGroupGone({ ...seen, deployments: [], machines: [] }, WORKERS)).toBe(true)
  })
})
