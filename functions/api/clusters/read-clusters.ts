import type { Cluster } from '../../core/cluster/cluster.ts'
import { isFailed } from '../../core/values/status.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import type { ListQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { type Columns, type Listing, selectPage } from '../lists/select-page.ts'
import { reachOf } from '../reach.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findCluster } from './find-cluster.ts'
import { detailCluster, listCluster, showCluster, type View } from './show-cluster.ts'

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
  const reach = reachOf(request, rule)
  return {
    noun: 'Cluster',
    columns: COLUMNS,
    get: (id) => clusters.locate(reach, id),
    page: (page) => clusters.listWithin(reach, page),
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
