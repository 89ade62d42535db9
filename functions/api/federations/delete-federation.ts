import { DEADLINE_SECONDS } from '../../domain/deadlines.ts'
import type { Federation, FederationOperation } from '../../domain/federation.ts'
import type { ExecutionRef } from '../../domain/operation.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { ownerEvent } from '../../operations/events.ts'
import { executionOf, launch, newOperation } from '../../operations/operation.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

type Request = ApiRequest<{ force: boolean }>

/** What a new operation has to stop: the running execution, and what that one may not have stopped yet. */
const replacedBy = (operation: FederationOperation | null): ExecutionRef[] =>
  operation === null ? [] : [...operation.supersedes, executionOf(`federation-${operation.kind}`, operation)]

/** A deletion that runs goes on, unless it is now to be forced. */
const isUnderWay = ({ operation }: Federation, force: boolean): boolean =>
  operation?.kind === 'delete' && (operation.force || !force)

/** Reads, decides, commits. Null when a deletion runs already. */
const decide = async (request: Request): Promise<{ federation: Federation; operation: FederationOperation } | null> => {
  const { ports, principal, params, query } = request
  const { federations, commit } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  if (isUnderWay(federation, query.force)) return null
  const operation = newOperation(ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['federation-delete'],
    force: query.force,
    supersedes: replacedBy(federation.operation),
  })
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
      message: `Federation ${federation.name} is being deleted; its members are unjoined first.`,
    }),
  ])
  return { federation, operation }
}

/**
 * `DELETE /v1/federations/{federation}` → 204. Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is replaced. With
 * `?force=true` what can't be reached is skipped; that also turns a running deletion into a forced one.
 */
export const deleteFederation = async (request: Request): Promise<ApiResponse> => {
  const begun = await untilNoConflict(() => decide(request))
  if (begun !== null) {
    const { federation, operation } = begun
    const { projectId, id: entityId } = federation
    await launch(request.ports, { flow: 'federation-delete', projectId, entityId, operation })
  }
  return { status: 204 }
}
