import * as z from 'zod'
import { type DesiredDeletion, deleteFederation } from '../../core/federation/delete-federation.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { YAML } from '../kubeconfigs/answer-kubeconfig.ts'
import { expiresIn, kubeconfigBody } from '../kubeconfigs/kubeconfig.schema.ts'
import { find } from '../lookup.ts'
import { isAllowed, policyForbids } from '../policy.ts'
import { flag, rollback, workloads } from '../query.ts'
import { type ApiResponse, type KeysRequest, type Route, route } from '../route.ts'
import { createFederationHandler, patchFederation } from './change-federation.ts'
import { createFederationBody, federationPatchBody } from './federation.schema.ts'
import { getKubeconfig, issueKubeconfig } from './kubeconfig.ts'
import { requireUseOf } from './members.ts'

/** A host that goes with the federation is deleted by the rule of clusters. @throws PolicyForbids */
const requireHostDeletable = (
  request: KeysRequest,
  { createdHost, projectId, userId, hostClusterId }: Federation,
): void => {
  const isKept = !createdHost || createdHost.keep || createdHost.state === 'gone'
  if (isKept || isAllowed(request, 'cluster:delete', { projectId, userId })) return
  throw policyForbids(request, 'cluster:delete', `: the host cluster ${hostClusterId} would go with the federation.`)
}

/**
 * `DELETE /v1/federations/{federation}` → 204. Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is replaced. With
 * `?force=true` what can't be reached is skipped, with `?workloads=delete` workloads go with the members; either also changes a running
 * deletion.
 */
const deleteFederationHandler = async (request: KeysRequest<DesiredDeletion>): Promise<ApiResponse> => {
  const { ports, principal, params, query } = request
  const { federations } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  requireHostDeletable(request, federation)
  await deleteFederation(ports, federation, { ...query, requireUse: requireUseOf(request) })
  return { status: 204 }
}

/** Create and update open clusters for `?dry_run=true`, with their stored credentials, and a kubeconfig is made with the driver's: hence keys. A delete may ask whose the members are. */
export const FEDERATION_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/federations',
    access: 'keys',
    rule: 'federation:create',
    idempotent: true,
    schemas: { query: z.object({ dry_run: flag }), body: createFederationBody },
    summary: 'Creates a federation on a host cluster, and joins members to it.',
    handle: createFederationHandler,
  }),
  route({
    method: 'PATCH',
    path: '/v1/federations/{federation}',
    access: 'keys',
    rule: 'federation:update',
    schemas: { query: z.object({ rollback, dry_run: flag, force: flag, workloads }), body: federationPatchBody },
    summary: 'Joins and unjoins members, and changes properties.',
    handle: patchFederation,
  }),
  route({
    method: 'DELETE',
    path: '/v1/federations/{federation}',
    access: 'keys',
    rule: 'federation:delete',
    schemas: { query: z.object({ force: flag, workloads }) },
    summary: 'Unjoins all members and removes the control plane.',
    handle: deleteFederationHandler,
  }),
  route({
    method: 'GET',
    path: '/v1/federations/{federation}/kubeconfig',
    access: 'keys',
    rule: 'federation:kubeconfig',
    media: [YAML],
    schemas: { query: z.object({ expires_in: expiresIn }) },
    summary: "Gives a kubeconfig for the federation's control plane, with a credential that expires; not to browsers.",
    handle: getKubeconfig,
  }),
  route({
    method: 'POST',
    path: '/v1/federations/{federation}/kubeconfig',
    access: 'keys',
    rule: 'federation:kubeconfig',
    media: [YAML],
    schemas: { query: z.object({ expires_in: expiresIn }), body: kubeconfigBody },
    summary: "Issues a kubeconfig for the federation's control plane, with a credential of a role that expires.",
    handle: issueKubeconfig,
  }),
]
