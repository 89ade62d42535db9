import type { Cluster, ClusterEndpoint, ClusterOperation, MagnumClusterAttributes } from '../../domain/cluster.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Principal } from '../../domain/principal.ts'
import type { ClusterDriver } from '../../drivers/contract/cluster-driver.ts'
import { generatedName } from '../generated-name.ts'
import type { CreateCluster } from './cluster.schema.ts'

/** Minutes, when the caller gives none (magnum-rest.md 4.1). */
const CREATE_TIMEOUT_MINUTES = 60

const orNull = <T>(value: T | undefined): T | null => value ?? null

const magnumAttributes = (body: CreateCluster, clusterTemplateId: string): MagnumClusterAttributes => ({
  clusterTemplateId,
  templateProjectId: null,
  templateLabels: {},
  tlsDisabled: false,
  keypair: orNull(body.keypair),
  dockerVolumeSize: orNull(body.docker_volume_size),
  labels: body.labels ?? {},
  masterFlavorId: orNull(body.master_flavor_id),
  flavorId: orNull(body.flavor_id),
  createTimeout: body.create_timeout === undefined ? CREATE_TIMEOUT_MINUTES : body.create_timeout,
  discoveryUrl: orNull(body.discovery_url),
  fixedNetwork: orNull(body.fixed_network),
  fixedSubnet: orNull(body.fixed_subnet),
  floatingIpEnabled: orNull(body.floating_ip_enabled),
  masterLbEnabled: orNull(body.master_lb_enabled),
})

/** Counts asked for, where the driver makes nodes: `driverState.nodeCount`, `driverState.masterCount`. */
const countsOf = (body: CreateCluster, driver: ClusterDriver): JsonObject =>
  driver.capabilities.makesNodes ? { nodeCount: body.node_count ?? 1, masterCount: body.master_count ?? 1 } : {}

export type NewCluster = {
  id: string
  principal: Principal
  driver: ClusterDriver
  templateId: string
  endpoint: ClusterEndpoint | null
  operation: ClusterOperation
}

/** A cluster as it is the instant that its 202 goes out. */
export const newCluster = (body: CreateCluster, given: NewCluster): Cluster => ({
  id: given.id,
  projectId: given.principal.projectId,
  userId: given.principal.userId,
  name: body.name ?? generatedName(given.id, 'cluster'),
  driver: given.driver.id,
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
  magnum: magnumAttributes(body, given.templateId),
  driverState: countsOf(body, given.driver),
  createdAt: given.operation.startedAt,
  updatedAt: null,
  observation: null,
  uses: [],
})
