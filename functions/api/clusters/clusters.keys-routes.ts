import * as z from 'zod'
import { noQuery, rollback } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createClusterBody } from './cluster.schema.ts'
import { clusterPatchBody } from './cluster-patch.ts'
import { createClusterHandler } from './create-cluster.ts'
import { patchCluster } from './patch-cluster.ts'

/** Routes that take a kubeconfig and seal it. A file of their own, so that the table function does not carry the intake. */
export const CLUSTER_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/clusters',
    access: 'keys',
    rule: 'cluster:create',
    idempotent: true,
    schemas: { query: noQuery, body: createClusterBody },
    summary: 'Creates a cluster from a template, or registers one that is there.',
    handle: createClusterHandler,
  }),
  route({
    method: 'PATCH',
    path: '/v1/clusters/{cluster}',
    access: 'keys',
    rule: 'cluster:update',
    schemas: { query: z.object({ rollback }), body: clusterPatchBody },
    summary: 'Changes the number of nodes, the health or the kubeconfig of a cluster.',
    handle: patchCluster,
  }),
]
