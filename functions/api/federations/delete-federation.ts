import type { Federation, FederationOperation } from '../../core/federation/federation.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { launch, newOperation, replacedBy } from '../../core/operation/launch.ts'
import { type WorkloadsWish, workloadsOf } from '../../core/operation/operation.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { requireWorkloads } from './workloads.ts'

type Desired = { force: boolean; workloads?: WorkloadsWish }
type Request = ApiRequest<Desired>

/** A deletion that runs goes on, unless it is now to be forced, or to remove workloads. */
const isUnderWay = ({ operation }: Federation, { force, workloads }: Desired): boolean =>
  operation?.kind === 'delete' &&
  (operation.force || !force) &&
  (operation.workloads === 'delete' || workloads !== 'delete')

/** A deletion in place of one that runs is no weaker than that. */
const newDeletion = (ports: Request['ports'], { operation: before }: Federation, { force, workloads }: Desired) => {
  const running = before?.kind === 'delete' ? before : null
  return newOperation(ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['federation-delete'],
    force: force || running?.force === true,
    ...workloadsOf(workloads, running),
    supersedes: before === null ? [] : replacedBy(`federation-${before.kind}`, before),
  })
}

/** Reads, decides, commits. Null when a deletion runs already. */
const decide = async (request: Request): Promise<{ federation: Federation; operation: FederationOperation } | null> => {
  const { ports, principal, params, query } = request
  const { federations, commit } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  if (query.workloads !== undefined)
    requireWorkloads(ports.drivers.federation.resolve(federation.driver), query.workloads)
  if (isUnderWay(federation, query)) return null
  const operation = newDeletion(ports, federation, query)
  const update = {
    status: 'DELETE_IN_PROGRESS',
    statusReason: null,
    operation,
    updatedAt: operation.startedAt,
  } as const
  await commit([
    federations.change(federation, update),
    ownerEvent(ports, 'federation', federation, {
      action: 'delete',
      outcome: 'pending',
      reason: query.force ? 'ForceRequested' : 'Requested',
      message: `Federation ${federation.name} is being deleted; its members are unjoined first${operation.workloads === 'delete' ? ', with their workloads removed' : ''}.`,
    }),
  ])
  return { federation, operation }
}

/**
 * `DELETE /v1/federations/{federation}` → 204. Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is replaced. With
 * `?force=true` what can't be reached is skipped, with `?workloads=delete` workloads go with the members; either also changes a running
 * deletion.
 */
export const deleteFederation = async (request: Request): Promise<ApiResponse> => {
  const begun = await retryOnConflict(() => decide(request))
  if (begun !== null) {
    const { federation, operation } = begun
    const { projectId, id: entityId } = federation
    await launch(request.ports, { flow: 'federation-delete', projectId, entityId, operation })
  }
  return { status: 204 }
}
