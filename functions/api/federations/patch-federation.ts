import { changeFederation, type DesiredChange, previewChange } from '../../core/federation/change-federation.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { DesiredWorkloads } from '../../core/operation/operation.ts'
import { find } from '../lookup.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { restingMembers } from './check-update.ts'
import { requireUseOf } from './cluster-use.ts'
import { applyProperties, type FederationPatch } from './federation-patch.ts'
import { preflightOfPatch } from './preflight.ts'
import { resolveTargets } from './resolve-members.ts'

type Request = KeysRequest<{ dry_run: boolean; force: boolean; workloads?: DesiredWorkloads }, FederationPatch>

const desiredOf = (request: Request): DesiredChange => {
  const { properties, members } = request.body
  const { force, workloads } = request.query
  return {
    properties: properties === null ? null : (before) => applyProperties(before, properties),
    members: (membered) => resolveTargets(request, membered, members),
    force,
    workloads,
    requireUse: requireUseOf(request),
  }
}

const dryRun = async (request: Request, federation: Federation): Promise<ApiResponse> => {
  const { input, plan, host } = await previewChange(request.ports, federation, desiredOf(request))
  const steps = plan?.steps ?? []
  return preflightOfPatch(request, {
    federation: { ...federation, ...(plan?.update.properties && { properties: plan.update.properties }) },
    driver: input.driver,
    steps,
    reached: plan?.update.properties ? restingMembers(input.memberships, steps) : null,
    force: request.query.force,
    host,
  })
}

/**
 * `PATCH /v1/federations/{federation}` → 202 (magnum-rest.md 8.3 and 8.5, design section 2): joins, unjoins and properties, all accepted
 * in one transaction or none.
 */
export const patchFederation = async (request: Request): Promise<ApiResponse> => {
  const { ports, principal, params } = request
  const { federations } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  if (request.query.dry_run) return dryRun(request, federation)
  await changeFederation(ports, federation, desiredOf(request))
  return { status: 202, body: { uuid: federation.id } }
}
