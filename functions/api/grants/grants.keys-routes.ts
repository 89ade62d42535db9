import * as z from 'zod'
import { type DesiredGrant, giveGrant, revokeGrant } from '../../core/grant/give-grant.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import { createOnce } from '../idempotency.ts'
import { isAllowed, policyForbids } from '../policy.ts'
import { flag, listQuery, noQuery } from '../query.ts'
import { type ApiResponse, type KeysRequest, type Route, route } from '../route.ts'
import { listClusterFederations } from './cluster-federations.ts'
import { createGrantBody } from './grant.schema.ts'
import { leaveFederation } from './leave-federation.ts'
import { findGrant, getGrant, listClusterGrants, listGrants, showGrant } from './read-grants.ts'

type CreateRequest = KeysRequest<unknown, DesiredGrant>

/** The cluster, once its owner may consent to these rights in it. @throws PolicyForbids */
const findToGrant = async (request: CreateRequest) => {
  const { rights, actions } = request.body
  const cluster = await findIntactCluster(request)
  const { projectId, userId, name, id } = cluster
  if (isAllowed(request, 'grant:create', { id, projectId, userId }, { rights, actions })) return cluster
  throw policyForbids(
    request,
    'grant:create',
    ` on cluster "${name}" (${id}) with "rights": "${rights}". Beyond "edit" only whoever made the cluster grants, and an administrator.`,
  )
}

/** `POST /v1/clusters/{cluster}/grants` → 201. */
const createGrant = async (request: CreateRequest): Promise<ApiResponse> => {
  const { ports, principal, body } = request
  const { id: clusterId, projectId } = await findToGrant(request)
  const id = await createOnce(request, `POST /v1/clusters/${clusterId}/grants`, async (remember) => {
    const as = { userId: principal.userId, remember }
    return (await giveGrant(ports, () => findToGrant(request), body, as)).id
  })
  const grant = await ports.stores.grants.get({ projectId, clusterId, id })
  const now = ports.clock.now().toISOString()
  return { status: 201, body: grant === undefined ? { uuid: id } : showGrant(grant, principal.projectId, now) }
}

/** `DELETE /v1/clusters/{cluster}/grants/{grant}` → 204: what uses the cluster by it begins to leave. */
const deleteGrant = async (request: KeysRequest): Promise<ApiResponse> => {
  await revokeGrant(request.ports, () => findGrant(request))
  return { status: 204 }
}

/** What a grant says leads to credentials, so that it is proved with the project's key. Those that only read are here to spare the table function (decision 0038). */
export const GRANT_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/grants',
    access: 'keys',
    rule: 'grant:get_all',
    schemas: { query: listQuery },
    summary: 'Lists the grants that the project gave, and those that it or its federations received.',
    handle: listGrants,
  }),
  route({
    method: 'GET',
    path: '/v1/clusters/{cluster}/grants',
    access: 'keys',
    rule: 'grant:get_all',
    schemas: { query: listQuery },
    summary: 'Lists the grants of a cluster.',
    handle: listClusterGrants,
  }),
  route({
    method: 'GET',
    path: '/v1/clusters/{cluster}/grants/{grant}',
    access: 'keys',
    rule: 'grant:get',
    schemas: { query: noQuery },
    summary: 'Shows a grant, with the federations that use the cluster by it.',
    handle: getGrant,
  }),
  route({
    method: 'GET',
    path: '/v1/clusters/{cluster}/federations',
    access: 'keys',
    rule: 'cluster:get',
    schemas: { query: noQuery },
    summary: 'Lists the federations that use a cluster, of all projects.',
    handle: listClusterFederations,
  }),
  route({
    method: 'POST',
    path: '/v1/clusters/{cluster}/grants',
    access: 'keys',
    rule: 'grant:create',
    idempotent: true,
    schemas: { query: noQuery, body: createGrantBody },
    summary: 'Lets federations of another project use a cluster.',
    handle: createGrant,
  }),
  route({
    method: 'DELETE',
    path: '/v1/clusters/{cluster}/grants/{grant}',
    access: 'keys',
    rule: 'grant:delete',
    schemas: { query: noQuery },
    summary: 'Revokes a grant; what uses the cluster by it begins to leave.',
    handle: deleteGrant,
  }),
  route({
    method: 'DELETE',
    path: '/v1/clusters/{cluster}/federations/{federation}',
    access: 'keys',
    rule: 'grant:delete',
    schemas: { query: z.object({ force: flag }) },
    summary: 'Takes a cluster out of a federation of another project.',
    handle: leaveFederation,
  }),
]
