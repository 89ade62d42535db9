import * as z from 'zod'
import { listQuery } from '../lists/list-query.ts'
import { noQuery, rollback } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createClusterBody } from './cluster.schema.ts'
import { clusterPatchBody } from './cluster-patch.ts'
import { createClusterHandler } from './create-cluster.ts'
import { deleteCluster } from './delete-cluster.ts'
import { patchCluster } from './patch-cluster.ts'
import { detailClusters, getCluster, listClusters } from './read-clusters.ts'

const COLLECTION = '/v1/clusters'
const ITEM = '/v1/clusters/{cluster}'

/** Those that take a kubeconfig may seal it; the others have no keys. */
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
    method: 'POST',
    path: COLLECTION,
    access: 'keys',
    rule: 'cluster:create',
    schemas: { query: noQuery, body: createClusterBody },
    handle: createClusterHandler,
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
    method: 'PATCH',
    path: ITEM,
    access: 'keys',
    rule: 'cluster:update',
    schemas: { query: z.object({ rollback }), body: clusterPatchBody },
    handle: patchCluster,
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
