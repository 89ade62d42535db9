import { InvalidRequest, StateConflict } from '../../core/errors.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { revocationFault, revokeCredential } from '../../core/membership/begin-operation.ts'
import { requireThere } from '../../core/selector/release-selector.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findMembership } from './members.ts'

/** @throws InvalidRequest where the driver can't, ObjectNotVisible, StateConflict */
const rotatable = async ({ ports, principal, params }: ApiRequest): Promise<Federation> => {
  const federation = await find(ports.stores.federations, 'Federation', principal.projectId, params.federation ?? '')
  requireThere(federation)
  const { id, capabilities } = ports.drivers.federation.resolve(federation.driver)
  if (capabilities.revoke) return federation
  throw new InvalidRequest(
    `The driver ${id} can't make credentials of members worthless. Remove the member and add it again.`,
  )
}

/** `POST /v1/federations/{federation}/members/{cluster}/actions/rotate` → 202: a credential that may be known to somebody is worthless in seconds. */
export const rotateMember = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, params } = request
  const federation = await rotatable(request)
  const memberships = await ports.stores.memberships.listOf(federation)
  await revokeCredential(ports, await findMembership(request, { federation, memberships }, params.cluster ?? ''))
  return { status: 202, body: { uuid: federation.id } }
}

/** `POST /v1/federations/{federation}/actions/rotate-members` → 202: the same of every member that rests, and why not of others. */
export const rotateMembers = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports } = request
  const federation = await rotatable(request)
  const rotating: string[] = []
  const skipped: { uuid: string; reason: string }[] = []
  for (const membership of await ports.stores.memberships.listOf(federation)) {
    const uuid = membership.clusterId
    const fault = await revocationFault(ports, membership)
    if (fault !== undefined) {
      skipped.push({ uuid, reason: fault })
      continue
    }
    try {
      await revokeCredential(ports, membership)
      rotating.push(uuid)
    } catch (error) {
      if (!isAppError(error) || !(error instanceof StateConflict)) throw error
      skipped.push({ uuid, reason: error.message })
    }
  }
  return { status: 202, body: { uuid: federation.id, rotating, skipped } }
}
