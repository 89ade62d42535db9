import type { Federation } from '../../domain/federation.ts'
import { type Membership, operationOf } from '../../domain/membership.ts'
import { describeObject } from '../../domain/object-ref.ts'
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

/** A member as the federation lists it. `reason` and `message` tell what is wrong with it, or are null. */
export const listMember = (membership: Membership) => ({
  cluster_id: membership.clusterId,
  name: membership.memberName,
  state: membership.state,
  reason: 'reason' in membership ? membership.reason : null,
  message: 'message' in membership ? membership.message : null,
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

/** The whole federation: Magnum's attributes and ours. */
export const showFederation = (federation: Federation, memberships: readonly Membership[], baseUrl: string) => ({
  ...listFederation(federation, baseUrl),
  status_reason: federation.statusReason,
  created_at: timestamp(federation.createdAt),
  updated_at: timestamp(federation.updatedAt),
  driver: federation.driver,
  project_id: federation.projectId,
  conditions: showConditions(federation.conditions),
  members: memberships.map(listMember),
  operation: showOperation(federation.operation),
  endpoint: federation.endpoint,
})
