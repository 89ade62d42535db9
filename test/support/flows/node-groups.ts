import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { DEFAULT_GROUPS, MASTER_ROLE, type NodeGroup } from '../../../functions/core/cluster/node-group.ts'

/** A node group of one node that is being made, as the API stores it. */
export const newGroup = (
  cluster: Pick<Cluster, 'id' | 'projectId' | 'createdAt'>,
  changes: Partial<NodeGroup>,
): NodeGroup => ({
  id: 'group',
  projectId: cluster.projectId,
  clusterId: cluster.id,
  number: 1,
  name: DEFAULT_GROUPS.worker,
  role: 'worker',
  isDefault: false,
  nodeCount: 1,
  reachedCount: 0,
  minNodeCount: 0,
  maxNodeCount: null,
  flavorId: null,
  imageId: 'old-image',
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
  createdAt: cluster.createdAt,
  updatedAt: null,
  ...changes,
})

/** The two groups that every cluster has, with one node each. */
export const defaultGroups = (cluster: Cluster, newId: () => string): NodeGroup[] => [
  newGroup(cluster, { id: newId(), isDefault: true, name: DEFAULT_GROUPS.master, role: MASTER_ROLE }),
  newGroup(cluster, { id: newId(), isDefault: true, number: 2 }),
]
