import { type Cluster, type FederationUse, federationUses } from '../../core/cluster/cluster.ts'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { DEFAULT_GROUPS, type NodeGroup } from '../../core/cluster/node-group.ts'
import { ObjectNotVisible } from '../../core/errors.ts'
import type { Place } from '../../core/values/attributes.ts'
import { isUuid } from '../../core/values/ids.ts'
import { type Condition, isFailed } from '../../core/values/status.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import { comparedLabels, type Shown, sortColumns, toJson, toObject, type View } from '../attributes.ts'
import { listEventsOf } from '../events.ts'
import { type Listing, listResponse, selectPage } from '../lists.ts'
import { scopeOf } from '../policy.ts'
import type { ListQuery, PageQuery } from '../query.ts'
import { linksOf, showConditions, showOperation } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findCluster } from './find-cluster.ts'
import { masterCountOf, nodeCountOf } from './node-count.ts'

type ClusterView = View & { baseUrl: string; nodeGroups?: readonly NodeGroup[] }

/** Its role as a management cluster, by the driver's fields, none of which is confidential. */
const roleOf = ({ management }: Cluster) =>
  management ? { ...management.options, driver: management.driver, default: management.isDefault } : null

/** A federation that uses it; of another project with that project. */
const useOf =
  (own: string) =>
  ({ side, federation: { id, projectId } }: FederationUse) => ({
    uuid: id,
    role: side,
    ...(projectId === own ? {} : { project_id: projectId }),
  })

/** Why it failed, by node group; of a cluster none of whose groups says it, under the masters' name. */
const faultsOf = ({ status, statusReason }: Cluster, nodeGroups: readonly NodeGroup[]): Record<string, string> => {
  const faults = nodeGroups
    .filter((group) => isFailed(group.status))
    .map((group): [string, string] => [group.name, group.statusReason ?? statusReason ?? group.status])
  return faults.length > 0 ? Object.fromEntries(faults) : { [DEFAULT_GROUPS.master]: statusReason ?? status }
}

/** Said while another cluster answers in its place. */
const quarantineOf = ({ observation, revision }: Cluster): Condition[] =>
  observation?.isOther
    ? [
        {
          type: 'Quarantined',
          status: 'True',
          reason: 'AnotherCluster',
          message: observation.healthReason.api ?? '',
          observedRevision: revision,
          changedAt: observation.unhealthySince ?? observation.observedAt,
        },
      ]
    : []

/** `faults` only when something failed (magnum-rest.md 4.2). What is undefined is left out. */
const SHOWN: Shown<typeof CLUSTER_ATTRIBUTES, Cluster, ClusterView> = {
  kept: ({ magnum }) => magnum,
  computed: {
    uuid: ({ id }) => id,
    merge_labels: () => false,
    node_count: nodeCountOf,
    master_count: masterCountOf,
    links: ({ id }, { baseUrl }) => linksOf(baseUrl, 'clusters', id),
    stack_id: ({ id }) => id,
    cluster_id: ({ id }) => id,
    api_address: ({ endpoint }) => endpoint?.server ?? null,
    health_status: ({ observation }) => observation?.healthStatus ?? null,
    health_status_reason: ({ observation }) => observation?.healthReason ?? {},
    coe_version: ({ observation }) => observation?.version ?? null,
    container_version: () => null,
    node_addresses: ({ nodes }) => nodes?.nodeAddresses ?? [],
    master_addresses: ({ nodes }) => nodes?.masterAddresses ?? [],
    ...comparedLabels(({ magnum }) => [magnum.labels, magnum.templateLabels]),
    faults: (cluster, { nodeGroups = [] }) => (isFailed(cluster.status) ? faultsOf(cluster, nodeGroups) : undefined),
    // What a registered cluster was named by; nothing confidential is in the driver's state.
    eks: ({ driverState }) => driverState.eks,
    management: roleOf,
    management_cluster: ({ madeThrough }) => madeThrough?.id ?? null,
    conditions: (cluster) => showConditions([...cluster.conditions, ...quarantineOf(cluster)]),
    federations: (cluster) => federationUses(cluster).map(useOf(cluster.projectId)),
    operation: ({ operation, task, queue }) =>
      operation && { ...showOperation(operation), task: task?.kind ?? null, queued: queue.length },
    tls_verify: ({ endpoint }) => endpoint?.tlsVerify ?? null,
  },
}

const listingOf = (request: ApiRequest<ListQuery>, rule: PolicyRule): Listing<Cluster> => {
  const { clusters } = request.ports.stores
  const scope = scopeOf(request, rule)
  return {
    noun: 'Cluster',
    isById: true,
    columns: { id: ({ id }) => id, ...sortColumns(CLUSTER_ATTRIBUTES, SHOWN, request) },
    get: (id) => clusters.locate(scope, id),
    page: (page) => clusters.listWithin(scope, page),
  }
}

/** Lists clusters in one shape, under one path; of all projects for those who have the rule (magnum-rest.md section 2). */
const lister = (path: string, rule: PolicyRule, place: Place) => {
  const write = toJson(CLUSTER_ATTRIBUTES, SHOWN, place)
  return async (request: ApiRequest<ListQuery>): Promise<ApiResponse> => {
    const { query, baseUrl } = request
    const page = await selectPage(listingOf(request, rule), query)
    return listResponse(page, query, {
      collection: 'clusters',
      url: `${baseUrl}${path}`,
      write: write(request),
    })
  }
}

export const listClusters = lister('/v1/clusters', 'cluster:get_all_all_projects', 'list')
export const detailClusters = lister('/v1/clusters/detail', 'cluster:detail_all_projects', 'detail')

const showCluster = toObject(CLUSTER_ATTRIBUTES, SHOWN, 'one')

/** `GET /v1/clusters/{cluster}`. The node groups are read for the faults of a failed cluster only. */
export const getCluster = async (request: ApiRequest): Promise<ApiResponse> => {
  const cluster = await findCluster(request, 'cluster:get_one_all_projects')
  const nodeGroups = isFailed(cluster.status) ? await request.ports.stores.nodeGroups.listOf(cluster) : []
  return { status: 200, body: showCluster(cluster, { ...request, nodeGroups }) }
}

/** Where its events are: where it is, and once it is gone in the caller's project, by its id only. @throws ObjectNotVisible */
const placeOf = async (
  request: ApiRequest<PageQuery>,
): Promise<{ projectId: string; id: string; isKnown: boolean }> => {
  try {
    const { projectId, id } = await findCluster(request, 'cluster:get_one_all_projects')
    return { projectId, id, isKnown: true }
  } catch (error) {
    const { cluster: ident = '' } = request.params
    if (!(error instanceof ObjectNotVisible && isUuid(ident))) throw error
    return { projectId: request.principal.projectId, id: ident, isKnown: false }
  }
}

/** `GET /v1/clusters/{cluster}/events`: what happened, oldest first, also after the cluster is gone. An addition to Magnum's API. */
export const listClusterEvents = async (request: ApiRequest<PageQuery>): Promise<ApiResponse> => {
  const { isKnown, ...place } = await placeOf(request)
  return listEventsOf(request, {
    kind: 'cluster',
    ...place,
    noun: 'Cluster',
    collection: 'clusters',
    isThere: async () => isKnown,
  })
}
