import { describe, expect, it } from 'vitest'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { INFRASTRUCTURES } from '../../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import { templateObjects } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import { fullSample, type Sample, samplePlan } from '../../../support/capi/samples.ts'
import { definitionFaults } from '../../../support/capi/schemas/faults.ts'

const sample = fullSample()
const of = (change: Sample = {}, previous?: Sample) =>
  templateObjects(
    'openstack',
    clusterObject(samplePlan('openstack', { ...sample, ...change })),
    previous && clusterObject(samplePlan('openstack', { ...sample, ...previous })),
  ).map(({ object }) => object)

const marked = (name: string, marks: Partial<NodeGroup>): Sample => ({
  nodeGroups: (sample.nodeGroups ?? []).map((group) => (group.name === name ? { ...group, ...marks } : group)),
})

describe('templateObjects', () => {
  it.each(INFRASTRUCTURES)('are as the real definitions want them, in the namespace of the cluster (%s)', (of) => {
    const cluster = clusterObject(samplePlan(of, sample))
    const made = templateObjects(of, cluster, undefined)
    expect(made.map(({ object }) => [object.kind, definitionFaults(object)])).toEqual(
      made.map(({ object }) => [object.kind, []]),
    )
    for (const { resource, object } of made) {
      expect(`${resource.group}/${resource.version}`).toBe(object.apiVersion)
      expect([resource.namespace, object.metadata.namespace]).toEqual(Array(2).fill(cluster.metadata.namespace))
    }
    const texts = made.map(({ object: { kind, spec } }) => JSON.stringify([kind, spec]))
    expect(new Set(texts).size).toBe(texts.length)
    expect(new Set(made.map(({ object }) => object.metadata.name)).size).toBe(made.length)
  })

  it('are one of each kind for the cluster, and two for each worker group', () =>
    expect(
      of()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual([
      'KubeadmConfigTemplate',
      'KubeadmConfigTemplate',
      'KubeadmControlPlaneTemplate',
      'OpenStackClusterTemplate',
      'OpenStackMachineTemplate',
      'OpenStackMachineTemplate',
      'OpenStackMachineTemplate',
    ]))

  it('are only those that a change makes anew', () => {
    expect(of({}, {})).toEqual([])
    expect(of(marked('GPU nodes', { nodeCount: 4 }), {})).toEqual([])
    const changed = of(marked('GPU nodes', { nodeLabels: { tier: 'db' } }), {})
    expect(changed.map(({ kind }) => kind)).toEqual(['KubeadmConfigTemplate'])
    expect(JSON.stringify(changed)).toContain('tier=db')
  })
})
