import type { Cluster } from '../../core/cluster/cluster.ts'
import { DEFAULT_GROUPS, type NodeGroup } from '../../core/cluster/node-group.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { labelDiff } from '../../core/values/labels.ts'
import { isFailed } from '../../core/values/status.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import type { ListQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { type Columns, type Listing, selectPage } from '../lists/select-page.ts'
import { linksOf, showConditions, showOperation, timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { scopeOf } from '../scope.ts'
import { findCluster } from './find-cluster.ts'
import { masterCountOf, nodeCountOf } from './node-count.ts'
import { REGISTRATION_ATTRIBUTES } from './registration-attributes.ts'

type View = { baseUrl: string; minor: number }

/** From this minor version on the same value has another name (magnum-rest.md 1.4). */
const CLUSTER_ID_SINCE = 13

const stackId = ({ id }: Cluster, { minor }: View): Record<string, string> =>
  minor < CLUSTER_ID_SINCE ? { stack_id: id } : { cluster_id: id }

/** An item of the plain list: exactly Magnum's keys (magnum-rest.md 4.2). */
const listCluster = (cluster: Cluster, view: View) => ({
  uuid: cluster.id,
  name: cluster.name,
  cluster_template_id: cluster.magnum.clusterTemplateId,
  keypair: cluster.magnum.keypair,
  node_count: nodeCountOf(cluster),
  master_count: masterCountOf(cluster),
  docker_volume_size: cluster.magnum.dockerVolumeSize,
  labels: cluster.magnum.labels,
  master_flavor_id: cluster.magnum.masterFlavorId,
  flavor_id: cluster.magnum.flavorId,
  create_timeout: cluster.magnum.createTimeout,
  links: linksOf(view.baseUrl, 'clusters', cluster.id),
  ...stackId(cluster, view),
  status: cluster.status,
  health_status: cluster.observation?.healthStatus ?? null,
  merge_labels: false,
})

const labelsCompared = ({ magnum }: Cluster) => {
  const { overridden, added, skipped } = labelDiff(magnum.labels, magnum.templateLabels)
  return { labels_overridden: overridden, labels_added: added, labels_skipped: skipped }
}

/** What a registered cluster was named by; nothing confidential is in the driver's state. */
const registrationOf = ({ driverState }: Cluster): JsonObject =>
  Object.fromEntries(
    REGISTRATION_ATTRIBUTES.flatMap((attribute) => {
      const shown = driverState[attribute]
      return shown === undefined ? [] : [[attribute, shown] as const]
    }),
  )

/** Its role as a management cluster, by the driver's fields, none of which is confidential. */
const roleOf = ({ management }: Cluster) =>
  management ? { ...management.options, driver: management.driver, default: management.isDefault } : null

/** What Magnum has not. */
const additions = (cluster: Cluster) => ({
  ...registrationOf(cluster),
  driver: cluster.driver,
  conditions: showConditions(cluster.conditions),
  federations: cluster.uses.map((use) => {
    const [role = '', uuid = ''] = use.split(':')
    return { uuid, role }
  }),
  operation: cluster.operation && {
    ...showOperation(cluster.operation),
    task: cluster.task?.kind ?? null,
    queued: cluster.queue.length,
  },
  tls_verify: cluster.endpoint?.tlsVerify ?? null,
  management: roleOf(cluster),
  management_cluster: cluster.madeThrough?.id ?? null,
})

/** An item of the detailed list, and the base of show. */
const detailCluster = (cluster: Cluster, view: View) => ({
  ...listCluster(cluster, view),
  ...labelsCompared(cluster),
  status_reason: cluster.statusReason,
  health_status_reason: cluster.observation?.healthReason ?? {},
  discovery_url: cluster.magnum.discoveryUrl,
  api_address: cluster.endpoint?.server ?? null,
  coe_version: cluster.observation?.version ?? null,
  container_version: null,
  project_id: cluster.projectId,
  user_id: cluster.userId,
  node_addresses: cluster.nodes?.nodeAddresses ?? [],
  master_addresses: cluster.nodes?.masterAddresses ?? [],
  fixed_network: cluster.magnum.fixedNetwork,
  fixed_subnet: cluster.magnum.fixedSubnet,
  floating_ip_enabled: cluster.magnum.floatingIpEnabled,
  master_lb_enabled: cluster.magnum.masterLbEnabled,
  created_at: timestamp(cluster.createdAt),
  updated_at: timestamp(cluster.updatedAt),
  ...additions(cluster),
})

/** Why it failed, by node group; of a cluster none of whose groups says it, under the masters' name. */
const faultsOf = ({ status, statusReason }: Cluster, nodeGroups: readonly NodeGroup[]): Record<string, string> => {
  const faults = nodeGroups
    .filter((group) => isFailed(group.status))
    .map((group): [string, string] => [group.name, group.statusReason ?? statusReason ?? group.status])
  return faults.length > 0 ? Object.fromEntries(faults) : { [DEFAULT_GROUPS.master]: statusReason ?? status }
}

/** One cluster. `faults` only here and only when something failed (magnum-rest.md 4.2). */
const showCluster = (cluster: Cluster, nodeGroups: readonly NodeGroup[], view: View) => ({
  ...detailCluster(cluster, view),
  ...(isFailed(cluster.status) ? { faults: faultsOf(cluster, nodeGroups) } : {}),
})

/** Magnum's database columns; computed attributes are not among them (magnum-rest.md section 2). */
const COLUMNS: Columns<Cluster> = {
  id: ({ id }) => id,
  uuid: ({ id }) => id,
  name: ({ name }) => name,
  cluster_template_id: ({ magnum }) => magnum.clusterTemplateId,
  keypair: ({ magnum }) => magnum.keypair,
  docker_volume_size: ({ magnum }) => magnum.dockerVolumeSize,
  labels: ({ magnum }) => JSON.stringify(magnum.labels),
  master_flavor_id: ({ magnum }) => magnum.masterFlavorId,
  flavor_id: ({ magnum }) => magnum.flavorId,
  stack_id: ({ id }) => id,
  api_address: ({ endpoint }) => endpoint?.server ?? null,
  create_timeout: ({ magnum }) => magnum.createTimeout,
  discovery_url: ({ magnum }) => magnum.discoveryUrl,
  status: ({ status }) => status,
  status_reason: ({ statusReason }) => statusReason,
  health_status: ({ observation }) => observation?.healthStatus ?? null,
  health_status_reason: ({ observation }) => JSON.stringify(observation?.healthReason ?? null),
  coe_version: ({ observation }) => observation?.version ?? null,
  container_version: () => null,
  fixed_network: ({ magnum }) => magnum.fixedNetwork,
  fixed_subnet: ({ magnum }) => magnum.fixedSubnet,
  floating_ip_enabled: ({ magnum }) => magnum.floatingIpEnabled,
  master_lb_enabled: ({ magnum }) => magnum.masterLbEnabled,
  project_id: ({ projectId }) => projectId,
  user_id: ({ userId }) => userId,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
}

const listingOf = (request: ApiRequest<ListQuery>, rule: PolicyRule): Listing<Cluster> => {
  const { clusters } = request.ports.stores
  const scope = scopeOf(request, rule)
  return {
    noun: 'Cluster',
    columns: COLUMNS,
    get: (id) => clusters.locate(scope, id),
    page: (page) => clusters.listWithin(scope, page),
  }
}

/** Lists clusters in one shape, under one path; of all projects for those who have the rule (magnum-rest.md section 2). */
const lister =
  (path: string, rule: PolicyRule, show: (cluster: Cluster, view: View) => unknown) =>
  async (request: ApiRequest<ListQuery>): Promise<ApiResponse> => {
    const { query, baseUrl } = request
    const page = await selectPage(listingOf(request, rule), query)
    return listResponse(page, query, {
      collection: 'clusters',
      url: `${baseUrl}${path}`,
      show: (cluster) => show(cluster, request),
    })
  }

export const listClusters = lister('/v1/clusters', 'cluster:get_all_all_projects', listCluster)
export const detailClusters = lister('/v1/clusters/detail', 'cluster:detail_all_projects', detailCluster)

/** `GET /v1/clusters/{cluster}`. The node groups are read for the faults of a failed cluster only. */
export const getCluster = async (request: ApiRequest): Promise<ApiResponse> => {
  const cluster = await findCluster(request, 'cluster:get_one_all_projects')
  const nodeGroups = isFailed(cluster.status) ? await request.ports.stores.nodeGroups.listOf(cluster) : []
  return { status: 200, body: showCluster(cluster, nodeGroups, request) }
}
