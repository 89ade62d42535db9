import * as z from 'zod'
import type { PrincipalRoute, TableRoute } from './route.ts'

/**
 * Routes of the keys function as the table function knows them, which carries none of their code. A test compares with `ROUTES`.
 */
export const KEYS_PATHS: readonly Pick<PrincipalRoute, 'method' | 'path' | 'rule'>[] = [
  { method: 'POST', path: '/v1/clusters', rule: 'cluster:create' },
  { method: 'PATCH', path: '/v1/clusters/{cluster}', rule: 'cluster:update' },
  { method: 'DELETE', path: '/v1/clusters/{cluster}', rule: 'cluster:delete' },
  { method: 'POST', path: '/v1/clusters/{cluster}/actions/resize', rule: 'cluster:resize' },
  { method: 'POST', path: '/v1/clusters/{cluster}/actions/upgrade', rule: 'cluster:upgrade' },
  { method: 'POST', path: '/v1/clusters/{cluster}/kubeconfig', rule: 'cluster:kubeconfig' },
  { method: 'POST', path: '/v1/clusters/{cluster}/nodegroups', rule: 'nodegroup:create' },
  { method: 'PATCH', path: '/v1/clusters/{cluster}/nodegroups/{nodegroup}', rule: 'nodegroup:update' },
  { method: 'DELETE', path: '/v1/clusters/{cluster}/nodegroups/{nodegroup}', rule: 'nodegroup:delete' },
  { method: 'POST', path: '/v1/certificates', rule: 'certificate:create' },
  { method: 'PATCH', path: '/v1/certificates/{cluster}', rule: 'certificate:rotate_ca' },
  { method: 'PATCH', path: '/v1/credentials/{cluster}', rule: 'credential:rotate' },
  { method: 'POST', path: '/v1/federations', rule: 'federation:create' },
  { method: 'PATCH', path: '/v1/federations/{federation}', rule: 'federation:update' },
  { method: 'DELETE', path: '/v1/federations/{federation}', rule: 'federation:delete' },
  { method: 'GET', path: '/v1/federations/{federation}/kubeconfig', rule: 'federation:kubeconfig' },
  { method: 'POST', path: '/v1/federations/{federation}/kubeconfig', rule: 'federation:kubeconfig' },
  { method: 'POST', path: '/v1/triggers', rule: 'trigger:create' },
  { method: 'POST', path: '/v1/triggers/{trigger}/actions/rotate-secret', rule: 'trigger:update' },
  { method: 'GET', path: '/v1/grants', rule: 'grant:get_all' },
  { method: 'GET', path: '/v1/clusters/{cluster}/grants', rule: 'grant:get_all' },
  { method: 'GET', path: '/v1/clusters/{cluster}/grants/{grant}', rule: 'grant:get' },
  { method: 'GET', path: '/v1/clusters/{cluster}/federations', rule: 'cluster:get' },
  { method: 'POST', path: '/v1/clusters/{cluster}/grants', rule: 'grant:create' },
  { method: 'DELETE', path: '/v1/clusters/{cluster}/grants/{grant}', rule: 'grant:delete' },
  { method: 'DELETE', path: '/v1/clusters/{cluster}/federations/{federation}', rule: 'grant:delete' },
]

const anyText = z.string().optional()

/**
 * The keys function's routes for the table function: they exist, so that a wrong method is 405 with the right `Allow`, and they refuse.
 * A request gets here only by a spelling of the path that the gateway does not know, such as a trailing slash.
 */
export const keysElsewhere = (refuse: () => Promise<never>): readonly TableRoute[] =>
  KEYS_PATHS.map((key) => ({
    ...key,
    summary: 'Served by the function with rights on keys.',
    access: 'keys',
    schemas: {
      query: z.object({ dry_run: anyText, rollback: anyText, force: anyText, workloads: anyText, expires_in: anyText }),
    },
    handle: refuse,
  }))
