import type { Federation } from '../../core/federation/federation.ts'
import { describeMoves, progressOf } from '../../core/membership/member-moves.ts'
import { type Membership, operationOf } from '../../core/membership/membership.ts'
import { describeObject } from '../../core/values/object-ref.ts'
import { isInProgress } from '../../core/values/status.ts'
import { withoutFullStop } from '../../core/values/wording.ts'
import { linksOf, showConditions, showOperation, timestamp } from '../representation.ts'

/** An item of the plain list: exactly Magnum's keys (magnum-rest.md 8.2). */
export const listFederation = (federation: Federation, baseUrl: string) => ({
  uuid: federation.id,
  name: federation.name,
  hostcluster_id: federation.hostClusterId,
  member_ids: federation.memberIds,
  status: federation.status,
  properties: federation.properties,
  links: linksOf(baseUrl, 'federations', federation.id),
})

/** A member as the federation lists it. `reason` and `message` tell what is wrong with it, or works in part only; `message` also what a moving one waits for. */
export const listMember = (membership: Membership) => ({
  cluster_id: membership.clusterId,
  name: membership.memberName,
  state: membership.state,
  reason: ('reason' in membership ? membership.reason : null) ?? null,
  message: ('message' in membership ? membership.message : progressOf(membership)) ?? null,
  since: timestamp(membership.since),
})

/** One member, with what runs on it and what it left behind. */
export const showMember = (membership: Membership) => ({
  ...listMember(membership),
  operation: showOperation(operationOf(membership)),
  credential: membership.credential && {
    kind: membership.credential.kind,
    expires_at: timestamp(membership.credential.expiresAt),
    renew_after: timestamp(membership.credential.renewAfter),
  },
  leftovers: membership.state === 'JoinFailed' ? membership.leftovers.map(describeObject) : [],
})

/** The federation's own reason, with what its members are doing while it is in progress: they don't write to it. */
const statusReasonOf = ({ status, statusReason: own }: Federation, memberships: readonly Membership[]) => {
  const moves = isInProgress(status) ? describeMoves(memberships) : null
  return own && moves ? `${withoutFullStop(own)}; ${moves}` : (moves ?? own)
}

/** The whole federation: Magnum's attributes and ours. */
export const showFederation = (federation: Federation, memberships: readonly Membership[], baseUrl: string) => ({
  ...listFederation(federation, baseUrl),
  status_reason: statusReasonOf(federation, memberships),
  created_at: timestamp(federation.createdAt),
  updated_at: timestamp(federation.updatedAt),
  driver: federation.driver,
  project_id: federation.projectId,
  conditions: showConditions(federation.conditions),
  members: memberships.map(listMember),
  operation: showOperation(federation.operation),
  endpoint: federation.endpoint,
  certificates_renew_after: timestamp(federation.renewAfter),
})
