import { describe, expect, it } from 'vitest'
import { OpenStackServer } from '../../../../functions/drivers/cluster/capi/v1/management/objects.schema.ts'
import {
  addressOf,
  endpointIn,
  isCalled,
  versionOf,
  versionOfGroup,
} from '../../../../functions/drivers/cluster/capi/v1/status/groups.ts'
import { observationOf, type Probe } from '../../../../functions/drivers/cluster/capi/v1/status/health.ts'
import { deletionOf, topologyFault, troubleOf } from '../../../../functions/drivers/cluster/capi/v1/status/progress.ts'
import { NOW, type Part, snapshot, WORKERS } from './snapshots.ts'

const OK: Probe = { outcome: 'ok' }
const FAULT: Probe = { outcome: 'fault', message: 'The API server refused the connection.' }
const DOUBT: Probe = { outcome: 'doubt', message: 'The credential is not accepted.' }

type Parts = Parameters<typeof snapshot>[0]

const LOST = {
  cluster: { conditions: { RemoteConnectionProbe: 'False ProbeFailed', Available: 'False NotAvailable' } },
}
const SICK = { worker: { conditions: { NodeHealthy: 'False NodeNotReady' } } }

const minutesAgo = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString()
const YOUNG = { creationTimestamp: minutesAgo(3) }
const NO_NODE = { nodeRef: { name: '' } }
/** What Cluster API says while a group has fewer available nodes than it shall have. */
const SHORT = {
  conditions: {
    Available: 'False NotAvailable * WorkersAvailable: x',
    WorkersAvailable: 'False NotAvailable * MachineDeployment paris-x-md: 1 available replicas, at least 2 required',
  },
}
const LACKING = { spec: { replicas: 2 } }
const GROWN = { cluster: SHORT, deployment: { ...LACKING, conditions: { ScalingUp: 'True' } } }

describe('health', () => {
  it.each<[string, string, Parts, Probe]>([
    ['HEALTHY', 'all is well', {}, OK],
    ['HEALTHY', 'our own call says nothing', {}, DOUBT],
    ['UNHEALTHY', 'our own call finds nobody', {}, FAULT],
    ['UNHEALTHY', 'Available is False', { cluster: { conditions: { Available: 'False x' } } }, OK],
    ['UNHEALTHY', 'Available is Unknown', { cluster: { conditions: { Available: 'Unknown x' } } }, OK],
    ['UNKNOWN', 'Cluster API does not reach it, but we do', LOST, OK],
    ['UNKNOWN', 'Cluster API does not reach it, and we do not know', LOST, DOUBT],
    ['UNHEALTHY', 'neither Cluster API nor we reach it', LOST, FAULT],
    ['UNHEALTHY', 'a node is sick', SICK, OK],
    ['UNHEALTHY', 'of a node nothing is known', { worker: { conditions: { NodeHealthy: 'Unknown x' } } }, OK],
    [
      'HEALTHY',
      'a node is sick while its group grows',
      { ...SICK, deployment: { conditions: { ScalingUp: 'True' } } },
      OK,
    ],
    [
      'HEALTHY',
      'a node is sick while its group shrinks',
      { ...SICK, deployment: { conditions: { ScalingDown: 'True' } } },
      OK,
    ],
    [
      'HEALTHY',
      'a node is sick while its group is replaced',
      { ...SICK, deployment: { conditions: { RollingOut: 'True' } } },
      OK,
    ],
    [
      'UNHEALTHY',
      'a node is sick while another group grows',
      { ...SICK, plane: { conditions: { ScalingUp: 'True' } } },
      OK,
    ],
    [
      'HEALTHY',
      'a sick node is on its way out',
      { worker: { ...SICK.worker, metadata: { deletionTimestamp: NOW } } },
      OK,
    ],
    ['HEALTHY', 'a group has just grown, and its new nodes are not available yet', GROWN, OK],
    ['HEALTHY', 'Cluster API has not noticed yet that a group is complete', { cluster: SHORT }, OK],
    [
      'HEALTHY',
      'a node is on its way up',
      { cluster: SHORT, deployment: LACKING, worker: { ...SICK.worker, metadata: YOUNG } },
      OK,
    ],
    [
      'HEALTHY',
      'a machine has no node yet',
      {
        cluster: SHORT,
        deployment: LACKING,
        worker: { ...SICK.worker, status: NO_NODE, metadata: { creationTimestamp: minutesAgo(25) } },
      },
      OK,
    ],
    [
      'UNHEALTHY',
      'a machine has no node for longer than it may take',
      {
        cluster: SHORT,
        deployment: LACKING,
        worker: { ...SICK.worker, status: NO_NODE, metadata: { creationTimestamp: minutesAgo(31) } },
      },
      OK,
    ],
    ['UNHEALTHY', 'a group lacks nodes, and none is on its way', { cluster: SHORT, deployment: LACKING }, OK],
    [
      'UNHEALTHY',
      'the control plane is not available while a group grows',
      {
        ...GROWN,
        cluster: { conditions: { ...SHORT.conditions, ControlPlaneAvailable: 'False NotAvailable etcd' } },
      },
      OK,
    ],
  ])('is %s when %s', (healthStatus, _, parts, probe) => {
    expect(observationOf(snapshot(parts), probe, NOW).healthStatus).toBe(healthStatus)
  })

  it('names nodes, and the parts that are not well', () => {
    const parts = { ...SICK, cluster: { conditions: { InfrastructureReady: 'False NotReady no network' } } }
    expect(observationOf(snapshot(parts), FAULT, NOW)).toMatchObject({
      healthReason: {
        api: FAULT.message,
        infrastructure: 'NotReady: no network',
        'master-1.Ready': 'True',
        'worker-1.Ready': 'False',
      },
      version: 'v1.35.2',
      nodeCount: 1,
      masterCount: 1,
    })
  })

  it('says nothing of a group that grows, and what else is not well in one line', () => {
    const reasonOf = (parts: Parts) => observationOf(snapshot(parts), OK, NOW).healthReason
    expect(reasonOf(GROWN)).not.toHaveProperty('nodegroup')
    expect(reasonOf({ cluster: SHORT, deployment: LACKING })).toMatchObject({
      nodegroup: 'NotAvailable: MachineDeployment paris-x-md: 1 available replicas, at least 2 required',
    })
  })

  it('stays small, sick nodes first', () => {
    const seen = snapshot(SICK)
    const [master, worker] = seen.machines
    const many = Array.from({ length: 300 }, (_, index) => ({
      ...(master as NonNullable<typeof master>),
      status: { ...(master as NonNullable<typeof master>).status, nodeRef: { name: `node-${index}` } },
    }))
    const { healthReason } = observationOf({ ...seen, machines: [...many, ...(worker ? [worker] : [])] }, OK, NOW)
    expect(Object.keys(healthReason)).toHaveLength(101)
    expect(healthReason['worker-1.Ready']).toBe('False')
  })
})

describe('troubleOf', () => {
  it.each<[string, Parts]>([
    [
      'Cluster/paris-x ReconcileFailed: no such class',
      { cluster: { conditions: { TopologyReconciled: 'False ReconcileFailed no such class.' } } },
    ],
    [
      'Cluster/paris-x NotReady: no network',
      {
        cluster: { conditions: { InfrastructureReady: 'False NotReady no network' } },
        plane: { conditions: { Available: 'False x' } },
      },
    ],
    [
      'KubeadmControlPlane/paris-x-cp NotAvailable: etcd',
      { plane: { conditions: { Available: 'False NotAvailable etcd', MachinesReady: 'False x' } } },
    ],
    [
      'KubeadmControlPlane/paris-x-cp NotReady: MachinesReady is False',
      { plane: { conditions: { MachinesReady: 'False NotReady' } } },
    ],
    [
      'MachineDeployment/paris-x-md NotReady: quota',
      {
        deployment: { conditions: { MachinesReady: 'False NotReady quota' } },
        worker: { conditions: { Ready: 'False x' } },
      },
    ],
    ['Machine/worker-1 NotReady: no host', { worker: { conditions: { Ready: 'False NotReady no host' } } }],
  ])('says %s', (words, parts) => {
    expect(troubleOf(snapshot(parts))).toBe(words)
  })

  it('says nothing when nothing fails, nor of what is False when it is well, nor of machines that leave', () => {
    expect(troubleOf(snapshot())).toBeUndefined()
    const leaving = { conditions: { Ready: 'False Deleting' }, metadata: { deletionTimestamp: NOW } }
    expect(troubleOf(snapshot({ worker: leaving }))).toBeUndefined()
  })

  it('puts nested lists of messages into one short line', () => {
    const message = '* Machine a:\n  * NodeHealthy: waiting\n  * InfrastructureReady: none\n* Machine b: gone'
    const parts = { deployment: { conditions: { MachinesReady: `False NotReady ${message}` } } }
    expect(troubleOf(snapshot(parts))).toBe(
      'MachineDeployment/paris-x-md NotReady: Machine a: NodeHealthy: waiting; InfrastructureReady: none; Machine b: gone',
    )
    const long = { deployment: { conditions: { MachinesReady: `False NotReady ${'x'.repeat(5000)}` } } }
    expect(troubleOf(snapshot(long))?.length).toBe(500)
  })
})

describe('troubleOf machines of OpenStack', () => {
  const NOT_READY: Parts = {
    plane: { conditions: { Available: 'False NotAvailable waiting' } },
    worker: { conditions: { Ready: 'False WaitingForBootstrapData' } },
  }

  const trouble = (status: object, parts: Parts = NOT_READY, name = 'worker-1') => {
    const spec = { flavor: 'm1.huge', image: { filter: { name: 'ubuntu' } } }
    return troubleOf({ ...snapshot(parts), servers: [OpenStackServer.parse({ metadata: { name }, spec, status })] })
  }

  const failed = (reason: string, message: string) => ({
    conditions: [{ type: 'InstanceReady', status: 'False', reason, message }],
  })
  const resolved = { imageID: 'i', flavorID: 'f', ports: [{}] }

  it.each<[string, object, string]>([
    [
      'what the cloud refused',
      failed('InstanceCreateFailed', 'error creating Openstack instance: Quota exceeded for cores.'),
      'OpenStackServer/worker-1 InstanceCreateFailed: error creating Openstack instance: Quota exceeded for cores',
    ],
    [
      'an instance in ERROR, of which CAPO says no more',
      failed('InstanceStateError', ''),
      'OpenStackServer/worker-1 InstanceStateError: the cloud could not make the instance; "openstack server show worker-1" says why',
    ],
    [
      'an image that is not there',
      { resolved: { ...resolved, imageID: undefined } },
      'OpenStackServer/worker-1 NotResolved: not found in the cloud: image "ubuntu"',
    ],
    [
      'a flavor and a network that are not there',
      { resolved: { imageID: 'i' } },
      'OpenStackServer/worker-1 NotResolved: not found in the cloud: flavor "m1.huge" and networks of its ports',
    ],
  ])('tells %s before what waits for it', (_, status, words) => expect(trouble(status)).toBe(words))

  it.each<[string, object]>([
    ['is not checked yet', {}],
    ['is being built', { resolved }],
    ['is there', { resolved, conditions: [{ type: 'InstanceReady', status: 'True' }] }],
  ])('says nothing of one that %s', (_, status) =>
    expect(trouble(status)).toBe('KubeadmControlPlane/paris-x-cp NotAvailable: waiting'),
  )

  it('says nothing of machines that are well, leave, or are none of ours', () => {
    const status = failed('InstanceCreateFailed', 'quota')
    const leaving = { worker: { ...NOT_READY.worker, metadata: { deletionTimestamp: NOW } } }
    expect(trouble(status, {})).toBeUndefined()
    expect(trouble(status, leaving)).toBeUndefined()
    expect(trouble(status, NOT_READY, 'other')).toBe('KubeadmControlPlane/paris-x-cp NotAvailable: waiting')
  })
})

describe('topologyFault', () => {
  it.each<[string, Part, string | undefined]>([
    ['says why it fails', { conditions: { TopologyReconciled: 'False ReconcileFailed no patch' } }, 'no patch'],
    [
      'says nothing while it works',
      { conditions: { TopologyReconciled: 'False ClusterUpgrading on its way' } },
      undefined,
    ],
    [
      'says nothing of the Cluster as it was before',
      { conditions: { TopologyReconciled: 'False ReconcileFailed no patch' }, metadata: { generation: 4 } },
      undefined,
    ],
  ])('%s', (_, cluster, words) => {
    expect(topologyFault(snapshot({ cluster }))).toBe(words && `Cluster/paris-x ReconcileFailed: ${words}`)
  })
})

describe('deletionOf', () => {
  it.each(['WaitingForWorkersDeletion', 'WaitingForControlPlaneDeletion', 'WaitingForInfrastructureDeletion'])(
    'says %s',
    (reason) => {
      const seen = snapshot({ cluster: { conditions: { Deleting: `True ${reason} one machine` } } })
      expect(deletionOf(seen)).toBe(`Cluster/paris-x ${reason}: one machine`)
    },
  )

  it('says nothing before it begins', () => {
    expect(deletionOf(snapshot())).toBeUndefined()
  })
})

describe('versionOf', () => {
  it.each<[string | null, string, Parts]>([
    [
      'v1.34.1',
      'the oldest that the Cluster tells',
      { cluster: { status: { controlPlane: { versions: [{ version: 'v1.35.0' }, { version: 'v1.34.1' }] } } } },
    ],
    [
      'v1.9.0',
      'the oldest by number, not by letter',
      { cluster: { status: { controlPlane: { versions: [{ version: 'v1.10.0' }, { version: 'v1.9.0' }] } } } },
    ],
    ['v1.35.2', "the control plane's own where the Cluster tells none (Cluster API 1.13)", {}],
    [null, 'nothing before there is one', { plane: { status: { version: '' } } }],
  ])('is %s: %s', (version, _, parts) => {
    expect(versionOf(snapshot(parts))).toBe(version)
  })

  it('is that of its machines for a group, and of new ones for a group without any', () => {
    expect(versionOfGroup(snapshot({ worker: { spec: { version: 'v1.34.0' } } }), WORKERS)).toBe('v1.34.0')
    expect(versionOfGroup({ ...snapshot(), machines: [] }, WORKERS)).toBe('v1.35.2')
  })
})

describe('addressOf', () => {
  const machineWith = (addresses: { type: string; address: string }[]) => {
    const machine = snapshot({ worker: { status: { addresses } } }).machines[1]
    if (machine === undefined) throw new Error('no machine')
    return machine
  }

  it('is the one from outside, else the inner one, else a name', () => {
    const all = [
      { type: 'Hostname', address: 'h' },
      { type: 'InternalDNS', address: 'd' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'ExternalIP', address: '203.0.113.1' },
    ]
    expect(addressOf(machineWith(all))).toBe('203.0.113.1')
    expect(addressOf(machineWith(all.slice(0, 3)))).toBe('10.0.0.1')
    expect(addressOf(machineWith(all.slice(0, 2)))).toBe('d')
    expect(addressOf(machineWith([]))).toBe('worker-1')
  })

  it('knows a machine by any of its names', () => {
    const machine = {
      ...machineWith([{ type: 'InternalIP', address: '10.0.0.1' }]),
      spec: { version: '', providerID: 'openstack:///abc' },
    }
    expect(
      ['worker-1', '10.0.0.1', 'abc', 'openstack:///abc', 'other', ''].map((name) => isCalled(machine, name)),
    ).toEqual([true, true, true, true, false, false])
  })
})

describe('endpointIn', () => {
  it.each<[string | undefined, object]>([
    ['https://10.0.0.9:6443', {}],
    ['https://[2001:db8::1]:6443', { controlPlaneEndpoint: { host: '2001:db8::1', port: 6443 } }],
    [undefined, { controlPlaneEndpoint: { host: '', port: 0 } }],
    [undefined, { controlPlaneEndpoint: undefined }],
  ])('is %s', (server, spec) => {
    expect(endpointIn(snapshot({ cluster: { spec } }), 'pem')?.server).toBe(server)
  })
})
