import { listQuery } from '../lists/list-query.ts'
import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { resizeClusterBody, upgradeClusterBody } from './cluster-actions.schema.ts'
import { deleteCluster } from './delete-cluster.ts'
import { detailClusters, getCluster, listClusters } from './read-clusters.ts'
import { resizeClusterHandler } from './resize-cluster.ts'
import { upgradeClusterHandler } from './upgrade-cluster.ts'

const COLLECTION = '/v1/clusters'
const ITEM = '/v1/clusters/{cluster}'

/** Both actions came with it; upgrade works from 1.8 on (magnum-rest.md 1.4). */
const ACTIONS_SINCE = 7

/** Routes that need no key. */
export const CLUSTER_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'cluster:get_all',
    schemas: { query: listQuery },
    summary: 'Lists the clusters of the project; of all projects for administrators.',
    handle: listClusters,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'cluster:detail',
    schemas: { query: listQuery },
    summary: 'Lists clusters with all their attributes.',
    handle: detailClusters,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'cluster:get',
    schemas: { query: noQuery },
    summary: 'Shows a cluster.',
    handle: getCluster,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'cluster:delete',
    schemas: { query: noQuery },
    summary: 'Deletes a cluster that no federation uses.',
    handle: deleteCluster,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/resize`,
    access: 'table',
    rule: 'cluster:resize',
    minVersion: ACTIONS_SINCE,
    schemas: { query: noQuery, body: resizeClusterBody },
    summary: 'Changes the number of nodes in a node group.',
    handle: resizeClusterHandler,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/upgrade`,
    access: 'table',
    rule: 'cluster:upgrade',
    minVersion: ACTIONS_SINCE,
    schemas: { query: noQuery, body: upgradeClusterBody },
    summary: 'Upgrades a cluster to another template, or a node group to its cluster’s.',
    handle: upgradeClusterHandler,
  }),
]
