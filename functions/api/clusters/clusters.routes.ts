import { listQuery } from '../lists/list-query.ts'
import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { deleteCluster } from './delete-cluster.ts'
import { detailClusters, getCluster, listClusters } from './read-clusters.ts'

const COLLECTION = '/v1/clusters'
const ITEM = '/v1/clusters/{cluster}'

/** Routes that need no key. */
export const CLUSTER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'cluster:get_all',
    schemas: { query: listQuery },
    handle: listClusters,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'cluster:detail',
    schemas: { query: listQuery },
    handle: detailClusters,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'cluster:get',
    schemas: { query: noQuery },
    handle: getCluster,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'cluster:delete',
    schemas: { query: noQuery },
    handle: deleteCluster,
  }),
]
