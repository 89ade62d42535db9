import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { type Sample, sampleGroups, samplePlan } from '../../../support/capi/samples.ts'

const GROUPS = sampleGroups({ version: 'v1.35.2' })
const [MASTER, WORKER] = GROUPS as [NodeGroup, NodeGroup]
const SAMPLE = { nodeGroups: GROUPS } satisfies Sample

type Spec = {
  clusterNetwork?: object
  topology?: {
    classRef?: object
    version?: string
    controlPlane: { replicas?: number }
    variables?: object[]
    workers?: { machineDeployments: { variables?: object; replicas?: number }[] }
  }
}

/** What somebody made of the Cluster with kubectl. */
const edited = (edit: (spec: Spec) => void): KubernetesObject => {
  const object = structuredClone(clusterObject(samplePlan('openstack', SAMPLE)))
  edit(object.spec as Spec)
  return object
}

const specAfter = (task: ClusterTask, previous: KubernetesObject): Spec =>
  clusterObject(samplePlan('openstack', { ...SAMPLE, task, previous })).spec as Spec

const resize = ({ id }: NodeGroup): ClusterTask => ({
  kind: 'resize',
  nodeGroupId: id,
  nodeCount: 1,
  nodesToRemove: [],
})
const update = ({ id }: NodeGroup): ClusterTask => ({ kind: 'node-group-update', nodeGroupId: id, nodeCount: null })

const withoutReplicas = edited((spec) => {
  delete spec.topology?.controlPlane.replicas
})
const withoutNetwork = edited((spec) => {
  delete spec.clusterNetwork
})

describe('a Cluster that somebody has changed by hand', () => {
  it('is changed like any other where Cluster API needs no more', () => {
    expect(specAfter(resize(WORKER), withoutReplicas).topology?.controlPlane).not.toHaveProperty('replicas')
    expect(specAfter(resize(MASTER), withoutReplicas).topology?.controlPlane.replicas).toBe(1)
    expect(specAfter(resize(WORKER), withoutNetwork)).not.toHaveProperty('clusterNetwork')
  })

  it.each<[string, ClusterTask, KubernetesObject]>([
    [
      'spec.topology.classRef',
      resize(WORKER),
      edited(({ topology }) => {
        delete topology?.classRef
      }),
    ],
    [
      'spec.topology',
      resize(WORKER),
      edited((spec) => {
        delete spec.topology
      }),
    ],
    [
      'the variable controlPlaneConfig',
      update(MASTER),
      edited(({ topology }) => {
        delete topology?.variables
      }),
    ],
    [
      'the variable workerConfig of default-worker-2',
      update(WORKER),
      edited(({ topology }) => {
        for (const entry of topology?.workers?.machineDeployments ?? []) delete entry.variables
      }),
    ],
  ])('is not changed further without %s, and says so', (what, task, previous) =>
    expect(() => specAfter(task, previous)).toThrow(
      expect.objectContaining({
        name: 'ManagementObjectChanged',
        kind: 'conflict',
        message: expect.stringMatching(
          new RegExp(`^Cluster fedplane-\\S+/paris-\\S+ was changed by hand: ${what} is missing or can't be read\\. `),
        ),
      }),
    ),
  )
})
