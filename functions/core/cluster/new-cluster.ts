import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import { InvalidRequest } from '../errors.ts'
import { type Given, inheritedFrom } from '../values/attributes.ts'
import type { Principal } from '../values/identity.ts'
import { generatedName } from '../values/ids.ts'
import type { JsonObject } from '../values/json.ts'
import { mergeLabels } from '../values/labels.ts'
import { quote } from '../values/wording.ts'
import type { Cluster, ClusterEndpoint, ClusterOperation, MagnumClusterAttributes, ManagementRole } from './cluster.ts'
import type { FoundTemplate } from './cluster-template.ts'
import { CLUSTER_ATTRIBUTES } from './magnum-attributes.ts'
import { DEFAULT_GROUPS, MASTER_ROLE, type NodeGroup, nodesOf } from './node-group.ts'

/** Where a new cluster comes from. */
export type Origin = FoundTemplate & { driver: ClusterDriverDescription }

/** A cluster as its caller wants it. */
export type DesiredCluster = {
  /** Undefined: one is made up. */
  name: string | undefined
  origin: Origin
  /** Nodes of the default groups, where the driver makes them. */
  nodeCount: number
  masterCount: number
  /** What is not given is as the template says, or a default. */
  attributes: Given<typeof CLUSTER_ATTRIBUTES>
  /** The labels are laid over the template's. */
  mergeLabels: boolean
  /** Of what is registered: where it is, and what its driver keeps of it. */
  endpoint: ClusterEndpoint | null
  driverState: JsonObject
  management: ManagementRole | null
}

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

type FirstGroups = {
  newId: () => string
  imageId: string
  /** Of the workers and of the masters. */
  nodeCount: number
  masterCount: number
  /** The driver makes the nodes: else they are only counted, and the groups are empty until something is seen. */
  makesNodes: boolean
}

/** The two node groups that every cluster has, as they are the instant that its 202 goes out. @throws InvalidRequest */
const newNodeGroups = (cluster: Cluster, given: FirstGroups): [master: NodeGroup, worker: NodeGroup] => {
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

/** What the caller gives, else what the template says (magnum-rest.md 4.1). */
const magnumAttributes = ({ attributes, mergeLabels: merge, origin }: DesiredCluster): MagnumClusterAttributes => {
  const { template, isBuiltin } = origin
  const { spec } = template
  return {
    ...inheritedFrom(CLUSTER_ATTRIBUTES, attributes, spec),
    clusterTemplateId: template.id,
    templateProjectId: isBuiltin ? null : template.projectId,
    templateLabels: spec.labels,
    tlsDisabled: spec.tlsDisabled,
    labels: mergeLabels(spec.labels, { labels: attributes.labels, merge }),
  }
}

type Making = { newId: () => string; principal: Principal; operation: ClusterOperation }

/** A cluster with its node groups as they are the instant that its 202 goes out. @throws InvalidRequest for labels that can't be read */
export const newCluster = (desired: DesiredCluster, given: Making): { cluster: Cluster; nodeGroups: NodeGroup[] } => {
  const id = given.newId()
  const { driver, template } = desired.origin
  const { makesNodes } = driver.capabilities
  const cluster: Cluster = {
    id,
    projectId: given.principal.projectId,
    userId: given.principal.userId,
    name: desired.name ?? generatedName(id, 'cluster'),
    driver: driver.id,
    revision: 1,
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    operation: given.operation,
    task: null,
    queue: [],
    nodes: null,
    conditions: [],
    endpoint: desired.endpoint,
    identity: null,
    magnum: magnumAttributes(desired),
    driverState: desired.driverState,
    createdAt: given.operation.startedAt,
    updatedAt: null,
    observation: null,
    uses: [],
    management: desired.management,
    madeThrough: null,
  }
  const nodeGroups = newNodeGroups(cluster, {
    newId: given.newId,
    imageId: template.spec.imageId,
    nodeCount: desired.nodeCount,
    masterCount: desired.masterCount,
    makesNodes,
  })
  return { cluster: { ...cluster, nodes: makesNodes ? nodesOf(nodeGroups) : null }, nodeGroups }
}
