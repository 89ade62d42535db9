import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { check } from '../../../../functions/drivers/cluster/capi/v1/checks/check.ts'
import { capiV1Description } from '../../../../functions/drivers/cluster/capi/v1/description.ts'
import { ALL_LABELS, fullSample, type Sample, sampleGroups, samplePlanned } from '../../../support/capi/samples.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const faultsOf = (sample: Sample, infrastructure = 'openstack'): string[] =>
  check(samplePlanned(infrastructure, sample))

const TAG = { kube_tag: 'v1.35.2' }

/** No load balancer, but an address that stays. */
const OWN_ADDRESS: Sample = {
  templateLabels: { ...TAG, api_server_floating_ip: '192.0.2.10' },
  magnum: { masterLbEnabled: false },
}

describe('check of a new cluster', () => {
  it.each(['openstack', 'dev'])('takes little and much on %s', (infrastructure) => {
    expect(faultsOf({}, infrastructure)).toStrictEqual([])
    expect(faultsOf(fullSample(), infrastructure)).toStrictEqual([])
  })

  it.each<[string, Sample, string]>([
    [
      'no version',
      { templateLabels: {} },
      'Nothing says which Kubernetes version the cluster is to run; give the cluster template the label kube_tag, for example kube_tag=v1.36.0.',
    ],
    [
      'a bad version of its own',
      { templateLabels: { kube_tag: 'latest' } },
      'Label kube_tag of the cluster is "latest"; give a Kubernetes version such as v1.36.0.',
    ],
    [
      'a bad version of the template',
      { templateLabels: { kube_tag: 'latest' }, labels: { zone: 'a' } },
      'Label kube_tag of the cluster template is "latest"; give a Kubernetes version such as v1.36.0.',
    ],
    [
      'no TLS',
      { magnum: { tlsDisabled: true } },
      '"tls_disabled" of the cluster template is true; clusters of capi@1 always use TLS: choose a template without it.',
    ],
    [
      'flannel',
      { spec: { networkDriver: 'flannel' } },
      '"network_driver" of the cluster template is "flannel"; capi@1 takes calico and cilium.',
    ],
    [
      'Fedora',
      { spec: { clusterDistro: 'fedora-coreos' } },
      '"cluster_distro" of the cluster template is "fedora-coreos"; capi@1 takes ubuntu, ubuntu-focal, debian, flatcar and rockylinux.',
    ],
    [
      'bare metal',
      { spec: { serverType: 'bm' } },
      '"server_type" of the cluster template is "bm"; capi@1 makes virtual machines: give vm.',
    ],
    [
      'a proxy that breaks out of its quotes',
      { spec: { httpProxy: 'http://a" b' } },
      '"http_proxy" of the cluster template is "http://a\\" b"; give addresses without spaces and quotes.',
    ],
    [
      'no flavor',
      { nodeGroups: sampleGroups().map((group) => (group.role === 'master' ? { ...group, flavorId: null } : group)) },
      'Nothing says which flavor node group default-master has; give "master_flavor_id".',
    ],
    [
      'an even number of masters',
      { nodeGroups: sampleGroups({ nodeCount: 2 }) },
      'Node group default-master would have 2 masters; give an odd number, so that etcd keeps a majority.',
    ],
    [
      'no masters',
      { nodeGroups: sampleGroups({ nodeCount: 0 }) },
      'Node group default-master would have 0 masters; give an odd number, so that etcd keeps a majority.',
    ],
    [
      'three masters and nothing before them',
      { ...OWN_ADDRESS, nodeGroups: sampleGroups({ nodeCount: 3 }) },
      'Node group default-master would have 3 masters without a load balancer before them; say "master_lb_enabled" for the cluster, or give it one master.',
    ],
    [
      'no address',
      { magnum: { masterLbEnabled: false, floatingIpEnabled: false } },
      'The API server would have neither a floating IP nor a load balancer, and so no address; give "master_lb_enabled" or "floating_ip_enabled".',
    ],
    [
      'an address that goes with the first master',
      { magnum: { masterLbEnabled: false } },
      'Without a load balancer the API server would lose its address when its master is replaced, at the latest after a year; give "master_lb_enabled", or a floating IP of the project with the label api_server_floating_ip.',
    ],
    [
      'limits of access that nobody would keep',
      {
        ...OWN_ADDRESS,
        templateLabels: { ...OWN_ADDRESS.templateLabels, api_master_lb_allowed_cidrs: '192.0.2.0/24' },
      },
      'Label api_master_lb_allowed_cidrs is kept by the load balancer before the API server, and there would be none, so that everybody reached it; give "master_lb_enabled", or leave the label out.',
    ],
    [
      'limits of access that OVN does not keep',
      { templateLabels: { ...TAG, octavia_provider: 'ovn', api_master_lb_allowed_cidrs: '192.0.2.0/24' } },
      'Label api_master_lb_allowed_cidrs is not kept by load balancers of the provider ovn, so that everybody would reach the API server; give another octavia_provider, or leave the label out.',
    ],
    [
      'pods and Services in one network',
      { templateLabels: { ...TAG, calico_ipv4pool: '10.96.0.0/16', service_cluster_ip_range: '10.96.0.0/12' } },
      'The networks of pods (10.96.0.0/16) and Services (10.96.0.0/12) share addresses; give networks that do not overlap, by label.',
    ],
    [
      'pods among nodes',
      { templateLabels: { ...TAG, calico_ipv4pool: '10.0.0.0/16' } },
      'The networks of pods (10.0.0.0/16) and nodes (10.0.0.0/24) share addresses; give networks that do not overlap, by label.',
    ],
    [
      'half of OpenID Connect',
      { templateLabels: { ...TAG, oidc_issuer_url: 'https://id.example.org', oidc_username_claim: 'email' } },
      'Labels oidc_issuer_url and oidc_client_id go together: with one of them, or others of OpenID Connect alone, no API server starts; give both, or none.',
    ],
    [
      'the port of a kubelet',
      { spec: { apiserverPort: 10_250 } },
      '"apiserver_port" of the cluster template is 10250, where something else listens on masters; give another one.',
    ],
    [
      "the port of Keystone's webhook",
      { spec: { apiserverPort: 8443 }, templateLabels: { ...TAG, keystone_auth_enabled: 'true' } },
      '"apiserver_port" of the cluster template is 8443, where something else listens on masters; give another one.',
    ],
    [
      'an admission plugin of old',
      { templateLabels: { ...TAG, admission_control_list: 'NodeRestriction,PodSecurityPolicy' } },
      'Label admission_control_list names PodSecurityPolicy, which is no longer in Kubernetes, so that no API server would start; leave it out.',
    ],
    [
      'a subnet alone',
      { magnum: { fixedSubnet: 'a' } },
      '"fixed_subnet" is given without "fixed_network"; give the network that it is in.',
    ],
    [
      'OVN in turns',
      { templateLabels: { ...TAG, octavia_provider: 'ovn', octavia_lb_algorithm: 'ROUND_ROBIN' } },
      'Label octavia_lb_algorithm is ROUND_ROBIN; load balancers of the provider ovn know SOURCE_IP_PORT only.',
    ],
    [
      'an autoscaler without a most',
      { templateLabels: { ...TAG, auto_scaling_enabled: 'true' } },
      'Label auto_scaling_enabled is true, and nothing says how many nodes group default-worker has at most; give the label max_node_count.',
    ],
    [
      'a most below the fewest',
      { nodeGroups: sampleGroups({ minNodeCount: 3, labels: { auto_scaling_enabled: 'true', max_node_count: '2' } }) },
      'Label max_node_count of node group default-worker is 2, less than its fewest nodes, 3.',
    ],
    [
      'more nodes than an autoscaler may have',
      { nodeGroups: sampleGroups({ nodeCount: 5, labels: { auto_scaling_enabled: 'true', max_node_count: '2' } }) },
      'Node group default-worker is scaled between 0 and 2 nodes; 5 is outside.',
    ],
  ])('refuses %s with one sentence', (_, sample, sentence) => expect(faultsOf(sample)).toStrictEqual([sentence]))

  it.each<[string, Sample]>([
    ['a floating IP of its own in place of a load balancer', OWN_ADDRESS],
    [
      'pods where the nodes would be, had they not another network',
      { templateLabels: { ...TAG, calico_ipv4pool: '10.0.0.0/16' }, magnum: { fixedNetwork: 'net' } },
    ],
    ['networks side by side', { templateLabels: { ...TAG, calico_ipv4pool: '10.0.1.0/24' } }],
  ])('takes %s', (_, sample) => expect(faultsOf(sample)).toStrictEqual([]))

  it('refuses an infrastructure that it does not know, naming who can repair it', () =>
    expect(faultsOf({}, 'aws')).toStrictEqual([
      'Management cluster mgmt is registered for the infrastructure "aws"; capi@1 knows openstack and dev. Ask its administrator.',
    ]))

  it('tells every fault at once, and a label of the cluster once', () => {
    const faults = faultsOf({
      templateLabels: { ...TAG, boot_volume_size: 'big', audit_log_enabled: 'maybe' },
      spec: { networkDriver: 'flannel' },
      magnum: { tlsDisabled: true },
    })
    expect(faults).toHaveLength(4)
    expect(faults.filter((fault) => fault.includes('boot_volume_size'))).toStrictEqual([
      'Label boot_volume_size of the cluster is "big"; give a whole number of GB from 0 to 100000.',
    ])
  })

  it('asks nothing of a simulated cloud that only a real one has', () =>
    expect(
      faultsOf(
        {
          nodeGroups: sampleGroups({ flavorId: null }),
          spec: { networkDriver: 'flannel' },
          magnum: { masterLbEnabled: false },
        },
        'dev',
      ),
    ).toStrictEqual([]))
})

describe('check of labels', () => {
  it.each<[string, string]>([
    ['auto_healing_enabled', 'maybe'],
    ['fixed_subnet_cidr', '10.0.0.0'],
    ['calico_ipv4pool', 'fd00::/64'],
    ['calico_ipv4pool', '10.100.0.0/25'],
    ['service_cluster_ip_range', '10.0.0.0/8'],
    ['fixed_subnet_cidr', '10.0.0.5/24'],
    ['api_server_lb_flavor', '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e01'],
    ['api_server_cert_sans', 'https://api.example.org'],
    ['api_master_lb_allowed_cidrs', '10.0.0.0/8 and more'],
    ['api_server_floating_ip', 'none'],
    ['octavia_lb_algorithm', 'RANDOM'],
    ['dns_cluster_domain', 'Cluster_Local'],
    ['boot_volume_size', '-1'],
    ['docker_volume_type', 'two words'],
    ['oidc_issuer_url', 'http://id.example.org'],
    ['oidc_username_claim', 'a,b=c'],
    ['api_server_tls_cipher_suites', 'SSL3'],
    ['admission_control_list', 'Pod-Security'],
    ['container_infra_prefix', 'a "quoted" place'],
    ['calico_tag', '../../etc'],
    ['csi_cinder_reclaim_policy', 'Recycle'],
    ['api_server_cert_sans', 'a\nb c"d'],
  ])('refuses %s=%j', (label, value) => {
    const faults = faultsOf({ templateLabels: { ...TAG, [label]: value } })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(new RegExp(`^Label ${label} of the cluster is ".*"; give .*\\.$`))
  })

  it('takes an empty one as absent', () =>
    expect(
      faultsOf({
        templateLabels: {
          ...TAG,
          ...Object.fromEntries(
            Object.keys(ALL_LABELS)
              .filter((key) => key !== 'kube_tag')
              .map((key) => [key, '']),
          ),
        },
      }),
    ).toStrictEqual([]))

  it('does not check those of another infrastructure', () =>
    expect(faultsOf({ templateLabels: { ...TAG, boot_volume_size: 'big' } }, 'dev')).toStrictEqual([]))
})

const GROUPS = [
  ...sampleGroups({ version: 'v1.35.2', reachedCount: 1 }),
  nodeGroupEntity('gpu', { number: 3, flavorId: 'gpu', version: 'v1.35.2', nodeCount: 1, reachedCount: 1 }),
]
const [MASTER, WORKER, GPU] = GROUPS as [NodeGroup, NodeGroup, NodeGroup]

const resize = ({ id }: NodeGroup, nodeCount: number): ClusterTask => ({
  kind: 'resize',
  nodeGroupId: id,
  nodeCount,
  nodesToRemove: [],
})

describe('check of a change', () => {
  /** What would keep a new cluster from being made. */
  const OLD_FAULTS: Sample = {
    labels: { boot_volume_size: 'big', kube_tag: 'latest' },
    spec: { networkDriver: 'flannel', clusterDistro: 'x' },
    magnum: { tlsDisabled: true },
  }

  it.each<[string, ClusterTask]>([
    ['a resize', resize(WORKER, 3)],
    ['a resize to 0', resize(WORKER, 0)],
    ['a change of limits', { kind: 'node-group-update', nodeGroupId: WORKER.id, nodeCount: null }],
    ['the end of a group', { kind: 'node-group-delete', nodeGroupId: GPU.id }],
    ['a new credential', { kind: 'rotate-credential' }],
    ['three masters', resize(MASTER, 3)],
  ])('takes %s whatever else is wrong with the cluster', (_, task) =>
    expect(faultsOf({ ...OLD_FAULTS, nodeGroups: GROUPS, task })).toStrictEqual([]),
  )

  it.each<[string, Sample, string]>([
    [
      'masters to 0',
      { task: resize(MASTER, 0) },
      'Node group default-master would have 0 masters; give an odd number, so that etcd keeps a majority.',
    ],
    [
      'masters to 4',
      { task: resize(MASTER, 4) },
      'Node group default-master would have 4 masters; give an odd number, so that etcd keeps a majority.',
    ],
    [
      'masters to 3 without a load balancer',
      { task: resize(MASTER, 3), ...OWN_ADDRESS },
      'Node group default-master would have 3 masters without a load balancer before them; say "master_lb_enabled" for the cluster, or give it one master.',
    ],
    [
      'a new group of masters',
      {
        nodeGroups: [...GROUPS.slice(0, 2), { ...GPU, role: 'master' }],
        task: { kind: 'node-group-create', nodeGroupId: GPU.id },
      },
      "Node group gpu can't be of masters: a cluster has one group of them, which can be resized.",
    ],
    [
      'a new group without a flavor',
      {
        nodeGroups: [...GROUPS.slice(0, 2), { ...GPU, flavorId: null }],
        task: { kind: 'node-group-create', nodeGroupId: GPU.id },
      },
      'Nothing says which flavor node group gpu has; give "flavor_id".',
    ],
    [
      'a new group with a bad label',
      {
        nodeGroups: [...GROUPS.slice(0, 2), { ...GPU, labels: { boot_volume_size: 'big' } }],
        task: { kind: 'node-group-create', nodeGroupId: GPU.id },
      },
      'Label boot_volume_size of node group gpu is "big"; give a whole number of GB from 0 to 100000.',
    ],
    [
      'more nodes than an autoscaler may have',
      {
        nodeGroups: [...GROUPS.slice(0, 2), { ...GPU, maxNodeCount: 4, labels: { auto_scaling_enabled: 'true' } }],
        task: resize(GPU, 5),
      },
      'Node group gpu is scaled between 0 and 4 nodes; 5 is outside.',
    ],
    [
      'new nodes of a minor version that kubeadm no longer joins',
      { nodeGroups: [{ ...MASTER, version: 'v1.36.0' }, WORKER, GPU], task: resize(GPU, 2) },
      'Node group gpu runs Kubernetes v1.35.2 and its control plane v1.36.0, so that it gets no new nodes; upgrade it first.',
    ],
  ])('refuses %s', (_, sample, sentence) =>
    expect(faultsOf({ nodeGroups: GROUPS, ...sample })).toStrictEqual([sentence]),
  )

  it('lets no master be replaced whose address would go with it', () => {
    const task: ClusterTask = { kind: 'node-group-update', nodeGroupId: MASTER.id, nodeCount: null }
    const sentence = [expect.stringContaining('would lose its address with its master, which this replaces')]
    expect(faultsOf({ nodeGroups: GROUPS, task, magnum: { masterLbEnabled: false } })).toStrictEqual(sentence)
    expect(faultsOf({ nodeGroups: GROUPS, task, ...OWN_ADDRESS })).toStrictEqual([])
    expect(faultsOf({ nodeGroups: GROUPS, task, magnum: { masterLbEnabled: false } }, 'dev')).toStrictEqual([])
    const workers: ClusterTask = { ...task, nodeGroupId: WORKER.id }
    expect(faultsOf({ nodeGroups: GROUPS, task: workers, magnum: { masterLbEnabled: false } })).toStrictEqual([])
  })

  it('lets a group that is behind become smaller', () =>
    expect(
      faultsOf({ nodeGroups: [{ ...MASTER, version: 'v1.36.0' }, WORKER, GPU], task: resize(GPU, 0) }),
    ).toStrictEqual([]))

  it('knows that a simulated cloud has no credential', () =>
    expect(faultsOf({ nodeGroups: GROUPS, task: { kind: 'rotate-credential' } }, 'dev')).toStrictEqual([
      'Cluster paris has no credential of a cloud that could be rotated: its machines are only simulated.',
    ]))
})

describe('check of an upgrade', () => {
  const upgradeTo = (tag: string | null, nodeGroupId: string | null = null, sample: Sample = {}): string[] =>
    faultsOf({
      nodeGroups: GROUPS,
      labels: TAG,
      templateLabels: tag === null ? {} : { kube_tag: tag },
      task: { kind: 'upgrade', templateId: 't', templateProjectId: 'p', nodeGroupId, maxBatchSize: 1 },
      ...sample,
    })

  it.each(['v1.35.2', 'v1.35.9', '1.36.0', 'v1.36.4+build'])('takes %s for a cluster at v1.35.2', (tag) =>
    expect(upgradeTo(tag)).toStrictEqual([]),
  )

  it.each([
    ['v1.35.1', "Cluster paris runs Kubernetes v1.35.2; it can't go back to v1.35.1."],
    ['v1.34.9', "Cluster paris runs Kubernetes v1.35.2; it can't go back to v1.34.9."],
    [
      'v1.37.0',
      "Cluster paris runs Kubernetes v1.35.2; it can't go to v1.37.0 at once. Upgrade one minor version at a time.",
    ],
    [
      'v2.0.0',
      "Cluster paris runs Kubernetes v1.35.2; it can't go to v2.0.0 at once. Upgrade one minor version at a time.",
    ],
    [
      null,
      'Nothing says which Kubernetes version the cluster template "template" stands for; give it the label kube_tag, for example kube_tag=v1.36.0.',
    ],
  ])('refuses %s', (tag, sentence) => expect(upgradeTo(tag)).toStrictEqual([sentence]))

  it('goes by what the control plane runs, not by a label', () =>
    expect(
      upgradeTo('v1.37.0', null, { nodeGroups: GROUPS.map((group) => ({ ...group, version: 'v1.36.0' })) }),
    ).toStrictEqual([]))

  it('refuses the next version while a group is behind, and takes another template of this one', () => {
    const nodeGroups = [...[MASTER, WORKER].map((group) => ({ ...group, version: 'v1.36.0' })), GPU]
    expect(upgradeTo('v1.37.0', null, { nodeGroups })).toStrictEqual([
      'Node group gpu (v1.35.2) is not yet at v1.36.0, the version of the control plane; upgrade it first, with "nodegroup".',
    ])
    expect(upgradeTo('v1.36.0', null, { nodeGroups })).toStrictEqual([])
    expect(upgradeTo('v1.36.0', GPU.id, { nodeGroups })).toStrictEqual([])
  })

  it('refuses to replace a master whose address would go with it; of workers alone it replaces none', () => {
    const magnum = { masterLbEnabled: false }
    expect(upgradeTo('v1.36.0', null, { magnum })).toStrictEqual([
      'Cluster paris has neither a load balancer before its API server nor a floating IP that was given to it, so that it would lose its address with its master, which this replaces; make a new cluster with "master_lb_enabled".',
    ])
    expect(upgradeTo('v1.35.2', GPU.id, { magnum })).toStrictEqual([])
  })

  it.each(['openstack', 'dev'])(
    'refuses that with which no API server starts, as a create does (%s)',
    (infrastructure) => {
      const plan = samplePlanned(infrastructure, {
        nodeGroups: GROUPS,
        labels: TAG,
        templateLabels: { kube_tag: 'v1.36.0', oidc_client_id: 'kubernetes' },
      })
      plan.cluster.magnum.templateLabels = plan.cluster.magnum.labels
      const task = {
        kind: 'upgrade',
        templateId: 't',
        templateProjectId: 'p',
        nodeGroupId: null,
        maxBatchSize: 1,
      } as const
      expect(check({ ...plan, task })).toStrictEqual([expect.stringContaining('oidc_issuer_url')])
    },
  )

  it('refuses what is wrong with the new template', () =>
    expect(upgradeTo('v1.36.0', null, { spec: { clusterDistro: 'fedora' } })).toHaveLength(1))

  it('looks only at labels that it changes', () => {
    const plan = samplePlanned('openstack', {
      nodeGroups: GROUPS,
      labels: { ...TAG, boot_volume_size: 'big', etcd_volume_size: '1' },
      templateLabels: { kube_tag: 'v1.36.0', boot_volume_size: 'big', etcd_volume_size: 'x' },
    })
    plan.cluster.magnum.templateLabels = plan.cluster.magnum.labels
    const task = {
      kind: 'upgrade',
      templateId: 't',
      templateProjectId: 'p',
      nodeGroupId: null,
      maxBatchSize: 1,
    } as const
    expect(check({ ...plan, task })).toStrictEqual([
      'Label etcd_volume_size of the cluster template is "x"; give a whole number of GB from 0 to 100000.',
    ])
  })
})

describe('the description', () => {
  it.each([
    ['openstack', true],
    ['dev', false],
  ])('of a cluster on %s asks for a credential of the cloud: %j', (infrastructure, expected) =>
    expect(capiV1Description.needsCloudCredential(samplePlanned(infrastructure))).toBe(expected),
  )

  it.each([
    ['infrastructure', 'openstack', true],
    ['infrastructure', 'openstack-like', false],
    ['namespace_prefix', 'team', true],
    ['namespace_prefix', 'x'.repeat(21), false],
    ['addons_namespace', 'fedplane-addons', true],
  ])('takes %s=%s: %j', (name, value, expected) =>
    expect(capiV1Description.management.fields.find((field) => field.name === name)?.pattern.test(value)).toBe(
      expected,
    ),
  )
})
