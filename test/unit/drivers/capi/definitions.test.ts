import { describe, expect, it } from 'vitest'
import {
  INFRASTRUCTURES,
  type Infrastructure,
} from '../../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import { managementObjects } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import { specOf, type Variable } from '../../../../functions/drivers/cluster/capi/v1/render/topology.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { exampleObjects, fullSample, type Sample, samplePlan } from '../../../support/capi/samples.ts'
import { definitionFaults } from '../../../support/capi/schemas/faults.ts'

type Patch = {
  name: string
  definitions: {
    selector: { apiVersion: string; kind: string; matchResources: { machineDeploymentClass?: unknown } }
    jsonPatches: { op: string; path: string; valueFrom: { variable: string } }[]
  }[]
}

/** The template with the value in its place, as Cluster API's topology controller puts it there. */
const patched = (template: KubernetesObject, path: string, value: unknown): KubernetesObject => {
  const copy = structuredClone(template)
  const keys = path.split('/').slice(1)
  const last = keys.pop() ?? ''
  const parent = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy)
  expect(parent, `${path} is replaced, so it must be there`).toHaveProperty(last)
  parent[last] = value
  return copy
}

const variableValue = (variables: readonly Variable[], name: string): unknown =>
  variables.find((variable) => variable.name === name)?.value

/** All templates that a cluster comes to, by the class and its variables. */
const templatesOf = (infrastructure: Infrastructure, sample: Sample): KubernetesObject[] => {
  const objects = managementObjects(infrastructure, 'n').map(({ object }) => object)
  const { topology } = specOf(clusterObject(samplePlan(infrastructure, sample)))
  const groups = (topology.workers?.machineDeployments ?? []).map(({ variables }) => variables?.overrides ?? [])
  const patches = (objects.at(-1)?.spec as { patches?: Patch[] } | undefined)?.patches ?? []
  return patches.flatMap(({ definitions }) =>
    definitions.flatMap(({ selector, jsonPatches: [patch] }) => {
      const template = objects.find(
        ({ apiVersion, kind }) => apiVersion === selector.apiVersion && kind === selector.kind,
      )
      if (template === undefined || patch === undefined) throw new Error(`${selector.kind} is not in the class.`)
      const scopes = selector.matchResources.machineDeploymentClass === undefined ? [topology.variables] : groups
      return scopes.map((variables) =>
        patched(template, patch.path, variableValue(variables, patch.valueFrom.variable)),
      )
    }),
  )
}

const SAMPLES: [string, Sample][] = [
  ['little', {}],
  ['everything', fullSample()],
  [
    'Flatcar, cilium and no load balancer',
    { spec: { clusterDistro: 'flatcar', networkDriver: 'cilium' }, magnum: { masterLbEnabled: false } },
  ],
  [
    'Flatcar with disks, OVN and another port',
    {
      spec: { clusterDistro: 'flatcar', apiserverPort: 8443 },
      templateLabels: { kube_tag: 'v1.35.2', octavia_provider: 'ovn', etcd_volume_size: '10' },
    },
  ],
  [
    'a network of somebody',
    { magnum: { fixedNetwork: 'net', fixedSubnet: 'sub', keypair: null, floatingIpEnabled: false } },
  ],
]

describe.each(INFRASTRUCTURES)('real definitions for %s', (infrastructure) => {
  it('take all that is written', () => {
    const known = exampleObjects(infrastructure).filter(({ kind }) => kind !== 'Secret' && kind !== 'Namespace')
    expect(known.map((object) => [object.kind, definitionFaults(object)])).toStrictEqual(
      known.map(({ kind }) => [kind, []]),
    )
  })

  it.each(SAMPLES)('take what the class makes of %s', (_, sample) => {
    const templates = templatesOf(infrastructure, sample)
    expect(templates.length).toBeGreaterThan(3)
    expect(templates.flatMap((object) => definitionFaults(object) ?? [`${object.kind} is unknown`])).toStrictEqual([])
  })
})

describe('definitionFaults', () => {
  const cluster = clusterObject(samplePlan('dev'))

  it.each<[string, unknown, string]>([
    [
      'a field that is none',
      { clusterNetwork: { pods: { cidrs: ['10.0.0.0/8'] } } },
      'Cluster.spec.clusterNetwork.pods.cidrs is no field',
    ],
    [
      'an empty value',
      { topology: { classRef: { name: 'c' }, version: '' } },
      'Cluster.spec.topology.version is empty',
    ],
    [
      'another type',
      { clusterNetwork: { apiServerPort: '6443' } },
      'Cluster.spec.clusterNetwork.apiServerPort can not be 6443',
    ],
    [
      'two of one name',
      {
        topology: {
          classRef: { name: 'c' },
          version: 'v1',
          variables: [
            { name: 'a', value: 1 },
            { name: 'a', value: 2 },
          ],
        },
      },
      'Cluster.spec.topology.variables has two of one name',
    ],
  ])('tells of %s', (_, spec, fault) => expect(definitionFaults({ ...cluster, spec })).toContain(fault))
})
