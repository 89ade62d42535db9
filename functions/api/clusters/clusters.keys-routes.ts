import * as z from 'zod'
import { YAML } from '../kubeconfigs/answer-kubeconfig.ts'
import { expiresIn, kubeconfigBody } from '../kubeconfigs/kubeconfig.schema.ts'
import { flag, noQuery, rollback } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createClusterBody } from './cluster.schema.ts'
import {
  deleteClusterHandler,
  resizeClusterBody,
  resizeClusterHandler,
  upgradeClusterBody,
  upgradeClusterHandler,
} from './cluster-actions.ts'
import { issueClusterKubeconfig } from './cluster-kubeconfig.ts'
import { clusterPatchBody } from './cluster-patch.ts'
import { createClusterHandler } from './create-cluster.ts'
import { patchCluster } from './patch-cluster.ts'

const ITEM = '/v1/clusters/{cluster}'

/** Both actions came with it; upgrade works from 1.8 on (magnum-rest.md 1.4). */
const ACTIONS_SINCE = 7

/**
 * Routes that take a kubeconfig and seal it, ask whoever makes the cluster about a change, or have the caller lend the cluster application
 * credentials. A file of their own, so that the table function does not carry the intake.
 */
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
    path: ITEM,
    access: 'keys',
    rule: 'cluster:update',
    schemas: { query: z.object({ rollback, accept_identity: flag }), body: clusterPatchBody },
    summary: 'Changes the number of nodes, the health or the kubeconfig of a cluster.',
    handle: patchCluster,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'keys',
    rule: 'cluster:delete',
    schemas: { query: z.object({ force: flag }) },
    summary: 'Deletes a cluster that no federation uses; by force also one that can’t be taken down any more.',
    handle: deleteClusterHandler,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/resize`,
    access: 'keys',
    rule: 'cluster:resize',
    minVersion: ACTIONS_SINCE,
    schemas: { query: noQuery, body: resizeClusterBody },
    summary: 'Changes the number of nodes in a node group.',
    handle: resizeClusterHandler,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/upgrade`,
    access: 'keys',
    rule: 'cluster:upgrade',
    minVersion: ACTIONS_SINCE,
    schemas: { query: noQuery, body: upgradeClusterBody },
    summary: 'Upgrades a cluster to another template, or a node group to its cluster’s.',
    handle: upgradeClusterHandler,
  }),
  route({
    method: 'POST',
    path: '/v1/clusters/{cluster}/kubeconfig',
    access: 'keys',
    rule: 'cluster:kubeconfig',
    media: [YAML],
    schemas: { query: z.object({ expires_in: expiresIn }), body: kubeconfigBody },
    summary: 'Issues a kubeconfig for the cluster, with a token of a role that expires.',
    handle: issueClusterKubeconfig,
  }),
]
