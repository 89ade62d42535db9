import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { clusterObject } from '../../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import { specOf } from '../../../../functions/drivers/cluster/capi/v1/render/topology.ts'
import { fullSample, type Sample, sampleGroups, samplePlan } from '../../../support/capi/samples.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const specWith = (sample: Sample, infrastructure: 'openstack' | 'dev' = 'openstack') =>
  specOf(clusterObject(samplePlan(infrastructure, sample)))

const variableOf = (sample: Sample, name: string): unknown =>
  specWith(sample).topology.variables.find((variable) => variable.name === name)?.value

const workerOf = (sample: Sample, name: 'workerMachine' | 'workerConfig', index = 0): unknown =>
  specWith(sample).topology.workers?.machineDeployments?.[index]?.variables?.overrides.find(
    (override) => override.name === name,
  )?.value

/** Paths of values that Cluster API refuses. */
const emptyPaths = (value: unknown, path = ''): string[] => {
  if (value === null || value === undefined || value === '') return [path]
  if (typeof value !== 'object') return []
  const entries = Object.entries(value)
  return entries.length === 0 ? [path] : entries.flatMap(([key, item]) => emptyPaths(item, `${path}.${key}`))
}

const withMagnum = (labels: Record<string, string>, magnum: NonNullable<Sample['magnum']> = {}): Sample => ({
  templateLabels: { kube_tag: 'v1.35.2', ...labels },
  magnum,
})

describe('a new cluster', () => {
  it.each(['openstack', 'dev'] as const)(
    'has no empty value on %s, whether little or all is said',
    (infrastructure) => {
      for (const sample of [{}, fullSample()]) {
        expect(emptyPaths(specWith(sample, infrastructure))).toStrictEqual([])
      }
    },
  )

  it('verifies the webhook of Keystone: else whoever listens at its port first says who is an administrator', () => {
    const config = variableOf(withMagnum({ keystone_auth_enabled: 'true' }), 'controlPlaneConfig') as {
      files: { path: string; content: string }[]
    }
    const file = config.files.find(({ path }) => path === '/etc/kubernetes/keystone-auth/webhook.yaml')
    const { clusters } = parse(file?.content ?? '') as { clusters: { cluster: unknown }[] }
    expect(clusters.map(({ cluster }) => cluster)).toEqual([
      {
        server: 'https://127.0.0.1:8443/webhook',
        'certificate-authority': '/etc/kubernetes/pki/ca.crt',
        'tls-server-name': 'kubernetes',
      },
    ])
  })

  it('is small when little is said', () => {
    const { clusterNetwork, topology } = specWith({}, 'dev')
    expect(clusterNetwork).toStrictEqual({
      pods: { cidrBlocks: ['10.100.0.0/16'] },
      services: { cidrBlocks: ['10.254.0.0/16'] },
      serviceDomain: 'cluster.local',
    })
    expect(topology).toMatchObject({
      version: 'v1.35.2',
      controlPlane: { replicas: 1, healthCheck: { enabled: true } },
    })
    expect(topology.variables.map(({ name }) => name)).toStrictEqual(['controlPlaneMachine', 'controlPlaneConfig'])
    expect(topology.workers?.machineDeployments).toMatchObject([
      { class: 'default-worker', name: 'default-worker-2', replicas: 1, healthCheck: { enabled: true } },
    ])
  })

  it.each([
    [
      'the label of the cluster',
      { labels: { kube_tag: '1.36.0' }, templateLabels: { kube_tag: 'v1.35.2' } },
      'v1.36.0',
    ],
    ['the label of the template', { labels: { zone: 'a' }, templateLabels: { kube_tag: 'v1.35.2' } }, 'v1.35.2'],
  ])('has the version of %s', (_, sample, version) => expect(specWith(sample).topology.version).toBe(version))

  it('is not rendered without a version', () =>
    expect(() => specWith({ templateLabels: {} })).toThrow('give its cluster template the label kube_tag'))

  it.each([
    ['calico', { calico_ipv4pool: '10.1.0.0/16', cilium_ipv4pool: '10.2.0.0/16' }, '10.1.0.0/16'],
    ['cilium', { calico_ipv4pool: '10.1.0.0/16', cilium_ipv4pool: '10.2.0.0/16' }, '10.2.0.0/16'],
    ['cilium', { calico_ipv4pool: '10.1.0.0/16' }, '10.1.0.0/16'],
  ])('gives pods the network of %s', (networkDriver, labels, cidr) =>
    expect(specWith({ ...withMagnum(labels), spec: { networkDriver } }).clusterNetwork?.pods).toStrictEqual({
      cidrBlocks: [cidr],
    }),
  )
})

describe('the OpenStackCluster', () => {
  const clusterOf = (sample: Sample) => variableOf(sample, 'infrastructureCluster')

  it('has a network of its own', () =>
    expect(clusterOf({ spec: { dnsNameserver: '192.0.2.53' } })).toStrictEqual({
      identityRef: { type: 'Secret', name: 'paris-encwpcnl-cloud-config', cloudName: 'default' },
      managedSubnets: [{ cidr: '10.0.0.0/24', dnsNameservers: ['192.0.2.53'] }],
      apiServerLoadBalancer: { enabled: true },
      managedSecurityGroups: { allowAllInClusterTraffic: true },
    }))

  it('never manages a network that was given', () => {
    const id = '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e01'
    const seen = clusterOf(withMagnum({}, { fixedNetwork: 'storage', fixedSubnet: id }))
    expect(seen).toMatchObject({ network: { filter: { name: 'storage' } }, subnets: [{ id }] })
    expect(seen).not.toHaveProperty('managedSubnets')
  })

  it.each([
    ['floating_ip_enabled is false', withMagnum({}, { floatingIpEnabled: false }), true],
    ['the label is false', withMagnum({ master_lb_floating_ip_enabled: 'False' }), true],
    [
      'the label is true, whatever nodes have',
      withMagnum({ master_lb_floating_ip_enabled: 'True' }, { floatingIpEnabled: false }),
      undefined,
    ],
  ])('has a floating IP or none: %s', (_, sample, expected) =>
    expect((clusterOf(sample) as Record<string, unknown>).disableAPIServerFloatingIP).toBe(expected),
  )

  it('has no load balancer when none is wanted', () =>
    expect(clusterOf(withMagnum({}, { masterLbEnabled: false }))).not.toHaveProperty('apiServerLoadBalancer'))

  it.each([
    ['no port', null],
    ['the usual port', 6443],
  ])('opens nothing more when its template says %s', (_, apiserverPort) =>
    expect(clusterOf({ spec: { apiserverPort } })).toMatchObject({
      managedSecurityGroups: { allowAllInClusterTraffic: true },
    }),
  )

  it('opens another port of the API server, word for word as CAPO opens the usual one', () => {
    const sample = { spec: { apiserverPort: 8443 } }
    expect(clusterOf(sample)).toMatchObject({
      apiServerPort: 8443,
      managedSecurityGroups: {
        controlPlaneNodesSecurityGroupRules: [
          {
            name: 'Kubernetes API',
            description: 'Kubernetes API',
            direction: 'ingress',
            etherType: 'IPv4',
            protocol: 'tcp',
            portRangeMin: 8443,
            portRangeMax: 8443,
          },
        ],
      },
    })
    expect(specWith(sample).clusterNetwork).toMatchObject({ apiServerPort: 8443 })
    expect(variableOf(sample, 'controlPlaneConfig')).toMatchObject({
      initConfiguration: { localAPIEndpoint: { bindPort: 8443 } },
      joinConfiguration: { controlPlane: { localAPIEndpoint: { bindPort: 8443 } } },
    })
    expect(JSON.stringify(variableOf({}, 'controlPlaneConfig'))).not.toContain('localAPIEndpoint')
  })

  it('lets everybody reach ports of Services where load balancers keep the address of who sent', () => {
    expect(clusterOf(withMagnum({ octavia_provider: 'ovn' }))).toMatchObject({
      managedSecurityGroups: {
        workerNodesSecurityGroupRules: ['tcp', 'udp'].map((protocol) => ({
          protocol,
          direction: 'ingress',
          portRangeMin: 30_000,
          portRangeMax: 32_767,
          remoteIPPrefix: '0.0.0.0/0',
        })),
      },
    })
    expect(JSON.stringify(clusterOf(withMagnum({ octavia_provider: 'amphora' })))).not.toContain('30000')
  })

  it('takes the zones of masters from their own label, else from the common one', () => {
    expect(clusterOf(withMagnum({ availability_zone: 'a' }))).toMatchObject({ controlPlaneAvailabilityZones: ['a'] })
    expect(clusterOf(withMagnum({ availability_zone: 'a', control_plane_availability_zones: 'b,c' }))).toMatchObject({
      controlPlaneAvailabilityZones: ['b', 'c'],
    })
  })
})

describe('machines', () => {
  it.each([
    ['m1.large', { flavor: 'm1.large' }],
    ['4', { flavorID: '4' }],
    ['5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e01', { flavorID: '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e01' }],
  ])('are of flavor %s', (flavorId, expected) =>
    expect(workerOf({ nodeGroups: sampleGroups({ flavorId }) }, 'workerMachine')).toMatchObject(expected),
  )

  it('have the disks that are asked for, and file systems on them', () => {
    const groups = sampleGroups({ dockerVolumeSize: 30, labels: { docker_volume_type: 'ssd' } })
    const sample = { ...withMagnum({ etcd_volume_size: '10' }), nodeGroups: groups }
    expect(variableOf(sample, 'controlPlaneMachine')).toMatchObject({
      additionalBlockDevices: [
        { name: 'etcd', sizeGiB: 10, storage: { type: 'Volume' } },
        { name: 'docker', sizeGiB: 30, storage: { type: 'Volume', volume: { type: 'ssd' } } },
      ],
    })
    expect(variableOf(sample, 'controlPlaneConfig')).toMatchObject({
      clusterConfiguration: { etcd: { local: { dataDir: '/var/lib/etcddisk/etcd' } } },
      diskSetup: { filesystems: [{ device: '/dev/vdb' }, { device: '/dev/vdc' }] },
      mounts: [
        ['LABEL=etcd_disk', '/var/lib/etcddisk'],
        ['LABEL=docker_disk', '/var/lib/containerd'],
      ],
    })
    expect(workerOf(sample, 'workerConfig')).toMatchObject({ diskSetup: { filesystems: [{ device: '/dev/vdb' }] } })
  })

  it('have a port in the network of the cluster before those in further ones, which masters have not', () => {
    const sample = { nodeGroups: sampleGroups({ labels: { extra_network_name: 'storage' } }) }
    expect(workerOf(sample, 'workerMachine')).toMatchObject({
      ports: [{ nameSuffix: 'cluster' }, { nameSuffix: 'extra-1', network: { filter: { name: 'storage' } } }],
    })
    expect(variableOf(sample, 'controlPlaneMachine')).not.toHaveProperty('ports')
  })

  it('of Flatcar boot by Ignition', () =>
    expect(workerOf({ spec: { clusterDistro: 'flatcar' } }, 'workerConfig')).toMatchObject({
      format: 'ignition',
      joinConfiguration: { nodeRegistration: { name: `\${COREOS_OPENSTACK_HOSTNAME}` } },
    }))

  it('of Flatcar have disks as Ignition takes them: no partition is named, and mounts name the file system alone', () => {
    const sample = {
      ...withMagnum({ etcd_volume_size: '10' }),
      spec: { clusterDistro: 'flatcar' },
      nodeGroups: sampleGroups({ dockerVolumeSize: 30 }),
    }
    const config = variableOf(sample, 'controlPlaneConfig')
    expect(config).toMatchObject({
      diskSetup: {
        filesystems: [
          { device: '/dev/vdb', filesystem: 'ext4', label: 'etcd_disk', overwrite: false },
          { device: '/dev/vdc', label: 'docker_disk' },
        ],
      },
      mounts: [
        ['etcd_disk', '/var/lib/etcddisk'],
        ['docker_disk', '/var/lib/containerd'],
      ],
    })
    expect(JSON.stringify(config)).not.toContain('partition')
    expect(JSON.stringify(variableOf({ ...sample, spec: {} }, 'controlPlaneConfig'))).toContain('"partition":"none"')
  })

  it('have proxies whose passwords systemd does not take for its own signs', () => {
    const httpProxy = 'http://user:p%40ss@proxy.example.org:3128'
    expect(workerOf({ spec: { httpProxy } }, 'workerConfig')).toMatchObject({
      files: [
        { content: expect.stringContaining('"HTTP_PROXY=http://user:p%%40ss@proxy.example.org:3128"') },
        { path: '/etc/apt/apt.conf.d/90proxy', content: expect.stringContaining('p%40ss') },
      ],
    })
  })

  it('have images of a registry whether its prefix ends with a slash, as in Magnum, or not', () => {
    for (const prefix of ['registry.example.org/kube', 'registry.example.org/kube/']) {
      expect(variableOf(withMagnum({ container_infra_prefix: prefix }), 'controlPlaneConfig')).toMatchObject({
        clusterConfiguration: { imageRepository: 'registry.example.org/kube' },
      })
    }
  })

  it('carry labels and taints of their group; masters keep the taint of a control plane', () => {
    const marks: Partial<NodeGroup> = { nodeLabels: { tier: 'db' }, nodeTaints: [{ key: 'db', effect: 'NoExecute' }] }
    const sample = { nodeGroups: sampleGroups(marks) }
    expect(workerOf(sample, 'workerConfig')).toMatchObject({
      joinConfiguration: {
        nodeRegistration: {
          kubeletExtraArgs: expect.arrayContaining([
            {
              name: 'node-labels',
              value: 'magnum.openstack.org/role=worker,magnum.openstack.org/nodegroup=default-worker,tier=db',
            },
          ]),
          taints: [{ key: 'db', effect: 'NoExecute' }],
        },
      },
    })
    expect(variableOf(sample, 'controlPlaneConfig')).toMatchObject({
      initConfiguration: {
        nodeRegistration: {
          taints: [
            { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
            { key: 'db', effect: 'NoExecute' },
          ],
        },
      },
    })
  })
})

describe('the number of nodes', () => {
  const entryWith = (change: Partial<NodeGroup>) =>
    specWith({ nodeGroups: sampleGroups(change) }).topology.workers?.machineDeployments?.[0]
  const MIN = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size'
  const MAX = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size'
  const scaled = { auto_scaling_enabled: 'True' }

  it.each<[string, Partial<NodeGroup>]>([
    ['its limits', { labels: scaled, minNodeCount: 1, maxNodeCount: 4 }],
    ['the label of the default group', { labels: { ...scaled, max_node_count: '4' }, minNodeCount: 1 }],
  ])('is left to an autoscaler within %s', (_, change) => {
    const entry = entryWith(change)
    expect(entry?.metadata?.annotations).toMatchObject({ [MIN]: '1', [MAX]: '4' })
    expect(entry).not.toHaveProperty('replicas')
  })

  it.each<[string, Partial<NodeGroup>]>([
    ['no autoscaler is asked for', { minNodeCount: 1, maxNodeCount: 4 }],
    ['there is no most', { labels: scaled }],
    ['the most is 0, which is none', { labels: scaled, maxNodeCount: 0 }],
    ['fewest and most are one', { labels: scaled, minNodeCount: 3, maxNodeCount: 3 }],
  ])('is said when %s', (_, change) => {
    const entry = entryWith({ ...change, nodeCount: 3 })
    expect(entry?.replicas).toBe(3)
    expect(entry?.metadata).not.toHaveProperty('annotations')
  })

  it('comes with what nodes of an empty group would be like', () => {
    const annotations = entryWith({
      labels: scaled,
      maxNodeCount: 4,
      nodeTaints: [{ key: 'gpu', effect: 'NoSchedule' }],
    })?.metadata?.annotations
    expect(annotations).toMatchObject({ 'capacity.cluster-autoscaler.kubernetes.io/taints': 'gpu=:NoSchedule' })
  })
})

describe('groups', () => {
  it('are none when a cluster has no workers', () => {
    const [master] = sampleGroups()
    expect(specWith({ nodeGroups: master ? [master] : [] }).topology).not.toHaveProperty('workers')
  })

  it('have entries of their own names', () => {
    const groups = [...sampleGroups(), nodeGroupEntity('GPU', { number: 3 }), nodeGroupEntity('gpu', { number: 4 })]
    const names = specWith({ nodeGroups: groups }).topology.workers?.machineDeployments?.map(({ name }) => name)
    expect(names).toStrictEqual(['default-worker-2', 'gpu-3', 'gpu-4'])
  })
})
