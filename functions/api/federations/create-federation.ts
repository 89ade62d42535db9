import { createFederation, planFederation } from '../../core/federation/create-federation.ts'
import type { DesiredFederation } from '../../core/federation/new-federation.ts'
import { createOnce } from '../idempotency.ts'
import { locate } from '../lookup.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { ownScope } from '../scope.ts'
import { requireUseOf } from './cluster-use.ts'
import type { CreateFederation } from './federation.schema.ts'
import { preflightOfCreate } from './preflight.ts'

type Request = KeysRequest<{ dry_run: boolean }, CreateFederation>

const desiredOf = ({ name, driver, properties, hostcluster_id, member_ids }: CreateFederation): DesiredFederation => ({
  name: name ?? null,
  driver: driver ?? null,
  properties: properties ?? {},
  host: hostcluster_id,
  members: member_ids ?? [],
})

/**
 * `POST /v1/federations` (magnum-rest.md 8.2 and 8.5, design section 2): the federation, its memberships and its marks on the clusters
 * come into being in one transaction before the 202. With `?dry_run=true` nothing does: the answer says what would.
 */
export const createFederationHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, principal } = request
  const desired = desiredOf(request.body)
  const rules = {
    findCluster: (ident: string) => locate(ports.stores.clusters, 'Cluster', ownScope(request), ident),
    requireUse: requireUseOf(request),
  }
  if (request.query.dry_run) return preflightOfCreate(request, await planFederation(ports, principal, desired, rules))
  const uuid = await createOnce(request, 'POST /v1/federations', async (remember) => {
    const { federation } = await createFederation(ports, principal, desired, { ...rules, remember })
    return federation.id
  })
  return { status: 202, body: { uuid } }
}
