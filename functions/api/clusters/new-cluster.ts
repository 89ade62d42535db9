import {
  type Cluster,
  type ClusterEndpoint,
  type ClusterOperation,
  type MagnumClusterAttributes,
  type ManagementRole,
  NO_MAGNUM_ATTRIBUTES,
} from '../../core/cluster/cluster.ts'
import { DEFAULT_GROUPS, MASTER_ROLE, type NodeGroup, nodesOf } from '../../core/cluster/node-group.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { generatedName } from '../../core/values/generated-name.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { mergeLabels } from '../../core/values/labels.ts'
import type { Principal } from '../../core/values/principal.ts'
import { quote } from '../../core/values/wording.ts'
import type { Origin } from './choose-origin.ts'
import type { CreateCluster } from './cluster.schema.ts'

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

/** Minutes, when the caller gives none (magnum-rest.md 4.1). */
const CREATE_TIMEOUT_MINUTES = 60

/** Minutes, as asked for; null when the caller sent null. */
export const createTimeoutOf = ({ create_timeout: minutes }: CreateCluster): number | null =>
  minutes === undefined ? CREATE_TIMEOUT_MINUTES : minutes

/** What the caller gives, else what the template says (magnum-rest.md 4.1). */
const magnumAttributes = (body: CreateCluster, { template, isBuiltin }: Origin): MagnumClusterAttributes => {
  const { spec } = template
  return {
    ...NO_MAGNUM_ATTRIBUTES,
    clusterTemplateId: template.id,
    templateProjectId: isBuiltin ? null : template.projectId,
    templateLabels: spec.labels,
    tlsDisabled: spec.tlsDisabled,
    keypair: body.keypair ?? spec.keypairId,
    dockerVolumeSize: body.docker_volume_size ?? spec.dockerVolumeSize,
    labels: mergeLabels(spec.labels, { labels: body.labels, merge: body.merge_labels }),
    masterFlavorId: body.master_flavor_id ?? spec.masterFlavorId,
    flavorId: body.flavor_id ?? spec.flavorId,
    createTimeout: createTimeoutOf(body),
    discoveryUrl: body.discovery_url ?? null,
    fixedNetwork: body.fixed_network ?? spec.fixedNetwork,
    fixedSubnet: body.fixed_subnet ?? spec.fixedSubnet,
    floatingIpEnabled: body.floating_ip_enabled ?? spec.floatingIpEnabled,
    masterLbEnabled: body.master_lb_enabled ?? spec.masterLbEnabled,
  }
}

export type NewCluster = {
  newId: () => string
  principal: Principal
  origin: Origin
  endpoint: ClusterEndpoint | null
  driverState: JsonObject
  management: ManagementRole | null
  operation: ClusterOperation
}

/** A cluster with its node groups as they are the instant that its 202 goes out. @throws InvalidRequest for labels that can't be read */
export const newCluster = (body: CreateCluster, given: NewCluster): { cluster: Cluster; nodeGroups: NodeGroup[] } => {
  const id = given.newId()
  const { driver, template } = given.origin
  const { makesNodes } = driver.capabilities
  const cluster: Cluster = {
    id,
    projectId: given.principal.projectId,
    userId: given.principal.userId,
    name: body.name ?? generatedName(id, 'cluster'),
    driver: driver.id,
    revision: 1,
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    operation: given.operation,
    task: null,
    queue: [],
    nodes: null,
    conditions: [],
    endpoint: given.endpoint,
    identity: null,
    magnum: magnumAttributes(body, given.origin),
    driverState: given.driverState,
    createdAt: given.operation.startedAt,
    updatedAt: null,
    observation: null,
    uses: [],
    management: given.management,
    madeThrough: null,
  }
  const nodeGroups = newNodeGroups(cluster, {
    newId: given.newId,
    imageId: template.spec.imageId,
    nodeCount: body.node_count ?? 1,
    masterCount: body.master_count ?? 1,
    makesNodes,
  })
  return { cluster: { ...cluster, nodes: makesNodes ? nodesOf(nodeGroups) : null }, nodeGroups }
}
