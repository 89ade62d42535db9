import { randomUUID } from 'node:crypto'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'

const SINCE = '2026-11-28T10:00:00.000Z'

/** A template without a request of its own. */
export const templateEntity = (
  labels: Record<string, string> = {},
  change: Partial<ClusterTemplate> = {},
): ClusterTemplate => ({
  id: randomUUID(),
  projectId: 'local',
  userId: 'tester',
  name: 'template',
  driver: 'memory@1',
  spec: {
    coe: 'kubernetes',
    imageId: 'image',
    flavorId: null,
    masterFlavorId: null,
    keypairId: null,
    externalNetworkId: null,
    fixedNetwork: null,
    fixedSubnet: null,
    networkDriver: 'flannel',
    volumeDriver: null,
    dnsNameserver: null,
    apiserverPort: null,
    dockerVolumeSize: null,
    dockerStorageDriver: null,
    labels,
    serverType: 'vm',
    clusterDistro: null,
    registryEnabled: false,
    insecureRegistry: null,
    tlsDisabled: false,
    masterLbEnabled: false,
    floatingIpEnabled: true,
    httpProxy: null,
    httpsProxy: null,
    noProxy: null,
  },
  public: false,
  hidden: false,
  tags: null,
  revision: 1,
  createdAt: SINCE,
  updatedAt: null,
  clusterCount: 0,
  ...change,
})

/** A node group that was just asked for. */
export const nodeGroupEntity = (name: string, change: Partial<NodeGroup> = {}): NodeGroup => ({
  id: randomUUID(),
  projectId: 'local',
  clusterId: randomUUID(),
  number: 2,
  name,
  role: 'worker',
  isDefault: false,
  nodeCount: 1,
  reachedCount: 0,
  minNodeCount: 0,
  maxNodeCount: null,
  flavorId: null,
  imageId: null,
  labels: {},
  dockerVolumeSize: null,
  nodeLabels: {},
  nodeTaints: [],
  nodeAddresses: [],
  status: 'CREATE_IN_PROGRESS',
  statusReason: null,
  failedTask: null,
  version: null,
  revision: 1,
  createdAt: SINCE,
  updatedAt: null,
  ...change,
})

/** The two groups that every cluster begins with. */
export const defaultGroups = (clusterId: string, { masters = 1, workers = 1 } = {}): NodeGroup[] => [
  nodeGroupEntity('default-master', {
    clusterId,
    number: 1,
    role: 'master',
    isDefault: true,
    nodeCount: masters,
  }),
  nodeGroupEntity('default-worker', { clusterId, number: 2, isDefault: true, nodeCount: workers }),
]
