import { type DesiredDeletion, deleteFederation } from '../../core/federation/delete-federation.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

/**
 * `DELETE /v1/federations/{federation}` → 204. Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is replaced. With
 * `?force=true` what can't be reached is skipped, with `?workloads=delete` workloads go with the members; either also changes a running
 * deletion.
 */
export const deleteFederationHandler = async (request: ApiRequest<DesiredDeletion>): Promise<ApiResponse> => {
  const { ports, principal, params, query } = request
  const { federations } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  await deleteFederation(ports, federation, query)
  return { status: 204 }
}
