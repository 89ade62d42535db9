import { listQuery, noQuery, pageQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { detailClusters, getCluster, listClusterEvents, listClusters } from './read-clusters.ts'

const COLLECTION = '/v1/clusters'
const ITEM = '/v1/clusters/{cluster}'

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
    method: 'GET',
    path: `${ITEM}/events`,
    access: 'table',
    rule: 'cluster:get',
    schemas: { query: pageQuery },
    summary: 'Lists what happened, oldest first, for 30 days, also after the cluster is gone.',
    handle: listClusterEvents,
  }),
]
