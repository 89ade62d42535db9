import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import {
  CapiCluster,
  ControlPlane,
  Machine,
  MachineDeployment,
} from '../../../../functions/drivers/cluster/capi/v1/management/objects.schema.ts'
import type { Snapshot } from '../../../../functions/drivers/cluster/capi/v1/management/snapshot.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { defaultGroups } from '../../../support/drivers/cluster-samples.ts'

/** Condition as text: `True`, or status, reason and message with blanks between. */
export type Conditions = Readonly<Record<string, string>>

const VERSION = 'v1.35.2'
export const NOW = '2026-11-28T12:00:00.000Z'

const conditions = (told: Conditions, observedGeneration = 3) =>
  Object.entries(told).map(([type, text]) => {
    const [status = '', reason = '', ...message] = text.split(' ')
    return { type, status, reason, message: message.join(' '), observedGeneration, lastTransitionTime: NOW }
  })

const WELL: Conditions = {
  Available: 'True',
  InfrastructureReady: 'True',
  TopologyReconciled: 'True',
  RemoteConnectionProbe: 'True',
  Deleting: 'False NotDeleting',
  RollingOut: 'False NotRollingOut',
  Paused: 'False NotPaused',
}
const MAKER_WELL: Conditions = {
  Available: 'True',
  MachinesReady: 'True',
  RollingOut: 'False',
  ScalingUp: 'False',
  ScalingDown: 'False',
}
const MACHINE_WELL: Conditions = { Ready: 'True', NodeHealthy: 'True' }

export const [MASTERS, WORKERS] = defaultGroups('cluster') as [NodeGroup, NodeGroup]

/** What to change of a part of a cluster that is well. */
export type Part = { conditions?: Conditions; status?: object; spec?: object; metadata?: object }

const counters = (count: number) => ({
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
})

type Whole = { metadata: object; spec: object; status?: object }

const merged = (well: Conditions, part: Part, { metadata, spec, status = {} }: Whole) => ({
  metadata: { uid: 'uid', namespace: 'fedplane-local', generation: 3, ...metadata, ...part.metadata },
  spec: { ...spec, ...part.spec },
  status: {
    observedGeneration: 3,
    ...status,
    conditions: conditions({ ...well, ...part.conditions }),
    ...part.status,
  },
})

/** A cluster of one master and one worker that is done and well, with changes. */
export const snapshot = ({
  cluster = {},
  plane = {},
  deployment = {},
  master = {},
  worker = {},
}: Partial<Record<'cluster' | 'plane' | 'deployment' | 'master' | 'worker', Part>> = {}): Snapshot => {
  const topology = {
    version: VERSION,
    controlPlane: { replicas: 1 },
    workers: { machineDeployments: [{ name: 'default-worker-2', replicas: 1 }] },
  }
  const object = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    ...merged(WELL, cluster, {
      metadata: { name: 'paris-x' },
      spec: { topology, controlPlaneEndpoint: { host: '10.0.0.9', port: 6443 } },
    }),
  }
  const label = { 'topology.cluster.x-k8s.io/deployment-name': 'default-worker-2' }
  return {
    object: object as unknown as KubernetesObject,
    cluster: CapiCluster.parse(object),
    controlPlane: ControlPlane.parse(
      merged(MAKER_WELL, plane, {
        metadata: { name: 'paris-x-cp' },
        spec: { replicas: 1, version: VERSION },
        status: { ...counters(1), version: VERSION },
      }),
    ),
    deployments: [
      MachineDeployment.parse(
        merged(MAKER_WELL, deployment, {
          metadata: { name: 'paris-x-md', labels: label },
          spec: { replicas: 1, template: { spec: { version: VERSION } } },
          status: counters(1),
        }),
      ),
    ],
    machines: [
      Machine.parse(
        merged(MACHINE_WELL, master, {
          metadata: { name: 'master-1', labels: { 'cluster.x-k8s.io/control-plane': '' } },
          spec: { version: VERSION },
          status: { nodeRef: { name: 'master-1' } },
        }),
      ),
      Machine.parse(
        merged(MACHINE_WELL, worker, {
          metadata: { name: 'worker-1', labels: label },
          spec: { version: VERSION },
          status: { nodeRef: { name: 'worker-1' } },
        }),
      ),
    ],
    servers: [],
  }
}
