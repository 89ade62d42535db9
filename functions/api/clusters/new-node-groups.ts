import type { Cluster } from '../../core/cluster/cluster.ts'
import { DEFAULT_GROUPS, MASTER_ROLE, type NodeGroup } from '../../core/cluster/node-group.ts'
import { quote } from '../../core/values/wording.ts'
import { InvalidRequest } from '../errors.ts'

/** Label that says the fewest workers (magnum-rest.md 4.1). */
const MIN_NODE_COUNT = 'min_node_count'

/** Largest integer that Magnum's database column holds. */
const COUNT_MAX = 2 ** 31 - 1

const minNodeCountOf = ({ magnum: { labels } }: Pick<Cluster, 'magnum'>): number => {
  const text = labels[MIN_NODE_COUNT] ?? '0'
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= COUNT_MAX) return Number(text)
  throw new InvalidRequest(
    `The label "${MIN_NODE_COUNT}" is ${quote(text)}; it must be an integer from 0 to ${COUNT_MAX}.`,
  )
}

export type FirstGroups = {
  newId: () => string
  imageId: string
  /** Of the workers and of the masters. */
  nodeCount: number
  masterCount: number
  /** The driver makes the nodes: else they are only counted, and the groups are empty until something is seen. */
  makesNodes: boolean
}

/** The two node groups that every cluster has, as they are the instant that its 202 goes out. @throws InvalidRequest */
export const newNodeGroups = (cluster: Cluster, given: FirstGroups): [master: NodeGroup, worker: NodeGroup] => {
  const { magnum } = cluster
  const common = {
    projectId: cluster.projectId,
    clusterId: cluster.id,
    isDefault: true,
    maxNodeCount: null,
    imageId: given.imageId,
    labels: magnum.labels,
    dockerVolumeSize: magnum.dockerVolumeSize,
    nodeLabels: {},
    nodeTaints: [],
    nodeAddresses: [],
    status: cluster.status,
    statusReason: null,
    failedTask: null,
    version: null,
    revision: 1,
    createdAt: cluster.createdAt,
    updatedAt: null,
  }
  const counted = (asked: number) => {
    const count = given.makesNodes ? asked : 0
    return { nodeCount: count, reachedCount: count }
  }
  return [
    {
      ...common,
      ...counted(given.masterCount),
      id: given.newId(),
      number: 1,
      name: DEFAULT_GROUPS.master,
      role: MASTER_ROLE,
      minNodeCount: 0,
      flavorId: magnum.masterFlavorId,
    },
    {
      ...common,
      ...counted(given.nodeCount),
      id: given.newId(),
      number: 2,
      name: DEFAULT_GROUPS.worker,
      role: 'worker',
      minNodeCount: given.makesNodes ? minNodeCountOf(cluster) : 0,
      flavorId: magnum.flavorId,
    },
  ]
}
