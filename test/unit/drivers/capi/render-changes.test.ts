import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { desiredAddons } from '../../../../functions/drivers/cluster/capi/v1/render/addons.ts'
import { className } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import { type ClusterSpec, specOf } from '../../../../functions/drivers/cluster/capi/v1/render/topology.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { fullSample, type Sample, sampleGroups, samplePlan } from '../../../support/capi/samples.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const GROUPS = [
  ...sampleGroups({ version: 'v1.35.2' }),
  nodeGroupEntity('gpu', { number: 3, nodeCount: 2, flavorId: 'gpu', imageId: 'gpu-v1.35', version: 'v1.35.2' }),
]
const [MASTER, WORKER, GPU] = GROUPS as [NodeGroup, NodeGroup, NodeGroup]

const OLD = { nodeGroups: GROUPS } satisfies Sample

/** As it comes back from an API server, made by an older version of the driver: another class, and an infrastructure that is no longer rendered so. */
const stored = (change: (spec: ClusterSpec) => void = () => {}): KubernetesObject => {
  const object = structuredClone(clusterObject(samplePlan('openstack', OLD)))
  const spec = specOf(object)
  spec.topology.classRef = { name: 'fedplane-capi1-openstack-old' }
  const infrastructure = spec.topology.variables.find(({ name }) => name === 'infrastructureCluster')
  if (infrastructure !== undefined) infrastructure.value = { identityRef: { name: 'old' }, apiServerPort: 443 }
  change(spec)
  const { metadata } = object
  return {
    ...object,
    metadata: { ...metadata, uid: 'u', resourceVersion: '7', finalizers: ['cluster.cluster.x-k8s.io'] },
    spec: {
      ...spec,
      controlPlaneEndpoint: { host: '192.0.2.1', port: 6443 },
      infrastructureRef: { kind: 'OpenStackCluster' },
    },
    status: { phase: 'Provisioned' },
  }
}

const task = (
  kind: 'resize' | 'node-group-create' | 'node-group-update' | 'node-group-delete',
  { id }: NodeGroup,
): ClusterTask =>
  kind === 'resize'
    ? { kind, nodeGroupId: id, nodeCount: 9, nodesToRemove: [] }
    : kind === 'node-group-update'
      ? { kind, nodeGroupId: id, nodeCount: null }
      : { kind, nodeGroupId: id }

const upgrade = (nodeGroupId: string | null = null, maxBatchSize = 1): ClusterTask => ({
  kind: 'upgrade',
  templateId: 't',
  templateProjectId: 'p',
  nodeGroupId,
  maxBatchSize,
})

const NEWER: Sample = {
  templateLabels: { kube_tag: 'v1.36.1' },
  labels: { kube_tag: 'v1.35.2' },
  spec: { imageId: 'ubuntu-v1.36' },
}

const changed = (sample: Sample, previous = stored()) =>
  clusterObject(samplePlan('openstack', { ...OLD, ...sample, previous }))

const specAfter = (sample: Sample, previous = stored()): ClusterSpec => specOf(changed(sample, previous))

const entriesAfter = (sample: Sample, previous = stored()) =>
  specAfter(sample, previous).topology.workers?.machineDeployments ?? []

const replace = (group: NodeGroup, change: Partial<NodeGroup>): NodeGroup[] =>
  GROUPS.map((one) => (one.id === group.id ? { ...one, ...change } : one))

describe('a change of a cluster', () => {
  it('sends nothing that Cluster API writes', () => {
    const object = changed({ task: task('resize', WORKER) })
    expect(Object.keys(object).sort()).toStrictEqual(['apiVersion', 'kind', 'metadata', 'spec'])
    expect(Object.keys(object.metadata).sort()).toStrictEqual(['labels', 'name', 'namespace'])
    expect(Object.keys(object.spec as object).sort()).toStrictEqual(['clusterNetwork', 'topology'])
  })

  it.each<[string, Sample]>([
    ['a create that is done again', { task: null }],
    ['a rotated credential', { task: { kind: 'rotate-credential' } }],
    ['a resize to the same', { task: { kind: 'resize', nodeGroupId: WORKER.id, nodeCount: 1, nodesToRemove: [] } }],
  ])('is none for %s, whatever the labels are by now', (_, sample) =>
    expect(specAfter({ ...fullSample(), ...OLD, ...sample })).toStrictEqual(specOf(stored())),
  )

  it.each([
    ['a group of workers', WORKER],
    ['masters', MASTER],
  ])('brings %s to its number and leaves all else', (_, group) => {
    const spec = specAfter({
      ...fullSample(),
      nodeGroups: replace(group, { nodeCount: 5 }),
      task: task('resize', group),
    })
    const expected = specOf(
      stored(({ topology }) => {
        const entry = topology.workers?.machineDeployments?.[0]
        if (group === MASTER) topology.controlPlane.replicas = 5
        else if (entry !== undefined) entry.replicas = 5
      }),
    )
    expect(spec).toStrictEqual(expected)
  })

  it('does not touch the number of another group, which may wait for a change of its own', () => {
    const groups = replace(GPU, { nodeCount: 7 }).map((one) => (one.id === WORKER.id ? { ...one, nodeCount: 4 } : one))
    const entries = entriesAfter({ nodeGroups: groups, task: task('resize', WORKER) })
    expect(entries.map(({ replicas }) => replicas)).toStrictEqual([4, 2])
  })

  it('adds an entry for a new group, with the labels of today', () => {
    const group = nodeGroupEntity('Big', {
      number: 4,
      nodeCount: 3,
      flavorId: 'big',
      imageId: 'i',
      labels: { boot_volume_size: '50' },
    })
    const entries = entriesAfter({ nodeGroups: [...GROUPS, group], task: task('node-group-create', group) })
    expect(entries.slice(0, 2)).toStrictEqual(specOf(stored()).topology.workers?.machineDeployments)
    expect(entries[2]).toMatchObject({ name: 'big-4', replicas: 3 })
    expect(entries[2]?.variables?.overrides[0]?.value).toMatchObject({ flavor: 'big', rootVolume: { sizeGiB: 50 } })
  })

  it.each<[string, readonly NodeGroup[]]>([
    ['is listed still', GROUPS],
    ['is listed no more', [MASTER, WORKER]],
  ])('takes the entry of a group away that goes and %s', (_, nodeGroups) =>
    expect(entriesAfter({ nodeGroups, task: task('node-group-delete', GPU) }).map(({ name }) => name)).toStrictEqual([
      'default-worker-2',
    ]),
  )

  it('changes labels and taints of nodes, and nothing else of the machines', () => {
    const groups = replace(GPU, {
      nodeLabels: { a: 'b' },
      nodeTaints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
    })
    const [worker, gpu] = entriesAfter({ ...fullSample(), nodeGroups: groups, task: task('node-group-update', GPU) })
    const [before, gpuBefore] = specOf(stored()).topology.workers?.machineDeployments ?? []
    expect(worker).toStrictEqual(before)
    const [machine, config] = gpu?.variables?.overrides ?? []
    expect(machine).toStrictEqual(gpuBefore?.variables?.overrides[0])
    const nodeRegistration = expect.objectContaining({
      name: '{{ local_hostname }}',
      taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
    })
    expect(config?.value).toMatchObject({ joinConfiguration: { nodeRegistration } })
    expect(JSON.stringify(config).match(/node-labels/g)).toHaveLength(1)
    const back = entriesAfter(
      { task: task('node-group-update', GPU) },
      { ...stored(), spec: specAfter({ nodeGroups: groups, task: task('node-group-update', GPU) }) },
    )
    expect(back).toStrictEqual([before, gpuBefore])
  })

  it('changes labels of masters likewise', () => {
    const groups = replace(MASTER, { nodeLabels: { a: 'b' } })
    const spec = specAfter({ nodeGroups: groups, task: task('node-group-update', MASTER) })
    const config = spec.topology.variables.find(({ name }) => name === 'controlPlaneConfig')?.value
    expect(JSON.stringify(config).match(/nodegroup=default-master,a=b/g)).toHaveLength(2)
  })

  it('hands a group over to an autoscaler and takes it back', () => {
    const labels = { auto_scaling_enabled: 'true' }
    const scaled = replace(GPU, { labels, minNodeCount: 1, maxNodeCount: 4 })
    const given = specAfter({ nodeGroups: scaled, task: task('node-group-update', GPU) })
    const [, gpu] = given.topology.workers?.machineDeployments ?? []
    expect(gpu).not.toHaveProperty('replicas')
    const back = entriesAfter(
      { nodeGroups: replace(GPU, { labels, maxNodeCount: null, nodeCount: 3 }), task: task('node-group-update', GPU) },
      { ...stored(), spec: given },
    )
    expect(back[1]?.replicas).toBe(3)
    expect(back[1]?.metadata).toStrictEqual({ labels: { 'fedplane.io/node-group': GPU.id } })
  })
})

describe('an upgrade', () => {
  const DEFER = 'topology.cluster.x-k8s.io/defer-upgrade'
  const keptOf = ({ clusterNetwork, topology: { variables } }: ClusterSpec) => ({
    clusterNetwork,
    infrastructure: variables.find(({ name }) => name === 'infrastructureCluster'),
  })

  it('of a cluster takes the class of today, version and image, and leaves networks as they are', () => {
    const spec = specAfter({ ...NEWER, task: upgrade() })
    expect(spec.topology.version).toBe('v1.36.1')
    expect(spec.topology.classRef).toStrictEqual({ name: className('openstack'), namespace: 'fedplane' })
    expect(keptOf(spec)).toStrictEqual(keptOf(specOf(stored())))
    expect(spec.topology.variables.map(({ name }) => name).sort()).toStrictEqual(
      specOf(stored())
        .topology.variables.map(({ name }) => name)
        .sort(),
    )
    expect(spec.topology.variables.find(({ name }) => name === 'controlPlaneMachine')?.value).toMatchObject({
      image: { filter: { name: 'ubuntu-v1.36' } },
      flavor: 'm1.large',
    })
  })

  it('of a cluster renders default workers anew, as many at a time as was asked for, and defers the others', () => {
    const [worker, gpu] = entriesAfter({ ...NEWER, task: upgrade(null, 3) })
    expect(worker?.variables?.overrides[0]?.value).toMatchObject({ image: { filter: { name: 'ubuntu-v1.36' } } })
    expect(worker?.rollout).toMatchObject({ strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } } })
    expect(worker?.metadata).not.toHaveProperty('annotations')
    const before = specOf(stored()).topology.workers?.machineDeployments?.[1]
    expect(gpu).toStrictEqual({ ...before, metadata: { ...before?.metadata, annotations: { [DEFER]: 'true' } } })
  })

  it('defers nobody when the version stays', () =>
    expect(entriesAfter({ ...NEWER, templateLabels: { kube_tag: 'v1.35.2' }, task: upgrade() })[1]).toStrictEqual(
      specOf(stored()).topology.workers?.machineDeployments?.[1],
    ))

  it('of a group that was deferred lets it go on, with the image of the template, and changes nothing of the cluster', () => {
    const after = specAfter({ ...NEWER, task: upgrade() })
    const groups = GROUPS.map((group) => (group === GPU ? group : { ...group, version: 'v1.36.1' }))
    const spec = specAfter(
      { ...NEWER, labels: { kube_tag: 'v1.36.1' }, nodeGroups: groups, task: upgrade(GPU.id) },
      { ...stored(), spec: after },
    )
    const [worker, gpu] = spec.topology.workers?.machineDeployments ?? []
    expect(gpu?.metadata).toStrictEqual({ labels: { 'fedplane.io/node-group': GPU.id } })
    expect(gpu?.variables?.overrides[0]?.value).toMatchObject({
      image: { filter: { name: 'ubuntu-v1.36' } },
      flavor: 'gpu',
    })
    expect(worker).toStrictEqual(after.topology.workers?.machineDeployments?.[0])
    expect({ ...spec.topology, workers: null }).toStrictEqual({ ...after.topology, workers: null })
  })

  it('keeps a deferred group deferred while others change', () => {
    const after = specAfter({ ...NEWER, task: upgrade() })
    const [, gpu] = entriesAfter(
      { task: task('resize', GPU), nodeGroups: replace(GPU, { nodeCount: 1 }) },
      { ...stored(), spec: after },
    )
    expect(gpu).toMatchObject({ replicas: 1, metadata: { annotations: { [DEFER]: 'true' } } })
  })

  it('follows labels of the new template that the cluster had of the old one', () => {
    const plan = samplePlan('openstack', {
      ...OLD,
      templateLabels: { kube_tag: 'v1.36.1', container_infra_prefix: 'new.example.org' },
      labels: { kube_tag: 'v1.35.2', container_infra_prefix: 'old.example.org' },
      task: upgrade(),
      previous: stored(),
    })
    plan.cluster.magnum.templateLabels = plan.cluster.magnum.labels
    const { variables } = specOf(clusterObject(plan)).topology
    expect(variables.find(({ name }) => name === 'controlPlaneConfig')?.value).toMatchObject({
      clusterConfiguration: { imageRepository: 'new.example.org' },
    })
  })

  it('leaves the port of the API server as it is, since load balancer and address stay', () => {
    const previous = stored((spec) => {
      spec.clusterNetwork = { ...spec.clusterNetwork, apiServerPort: 8443 }
    })
    const config = specAfter({ ...NEWER, spec: { ...NEWER.spec, apiserverPort: 9443 }, task: upgrade() }, previous)
    expect(config.clusterNetwork).toMatchObject({ apiServerPort: 8443 })
    const made = config.topology.variables.find(({ name }) => name === 'controlPlaneConfig')?.value
    expect(made).toMatchObject({ initConfiguration: { localAPIEndpoint: { bindPort: 8443 } } })
  })

  it('leaves the CNI as it is, whatever the new template says', () => {
    const plan = samplePlan('openstack', {
      ...OLD,
      ...NEWER,
      spec: { networkDriver: 'cilium' },
      task: upgrade(),
      previous: stored(),
    })
    expect(clusterObject(plan).metadata.labels).toMatchObject({ 'fedplane.io/network-driver': 'calico' })
    expect(desiredAddons(plan, { addons_namespace: 'addons' })[0]?.addon).toBe('calico')
  })

  it('needs the addons that labels of the new template ask for', () => {
    const plan = samplePlan('openstack', {
      ...OLD,
      labels: { kube_tag: 'v1.35.2' },
      templateLabels: { kube_tag: 'v1.36.1', manila_csi_enabled: 'true' },
      task: upgrade(),
      previous: stored(),
    })
    plan.cluster.magnum.templateLabels = plan.cluster.magnum.labels
    expect(desiredAddons(plan, { addons_namespace: 'addons' })).toContainEqual(
      expect.objectContaining({ secret: 'manila-csi', isRequired: true }),
    )
  })

  it('twice is the same as once', () => {
    const once = specAfter({ ...NEWER, task: upgrade() })
    expect(specAfter({ ...NEWER, task: upgrade() }, { ...stored(), spec: once })).toStrictEqual(once)
  })
})
