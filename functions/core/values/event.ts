/** Whose history it belongs to. Membership events belong to the federation and name the cluster. */
export type EventOwner = { kind: 'cluster' | 'federation'; id: string }

/**
 * Something that happened to an entity: written in the same transaction as the status (outbox), read at `/events`, forwarded to
 * the event bus. Names and outcomes after Magnum's CADF notifications (magnum-rest.md 9.5).
 */
export type DomainEvent = {
  /** UUIDv7: time-ordered within an owner. */
  id: string
  projectId: string
  owner: EventOwner
  /** The member's cluster; null when the event is about the owner itself. */
  clusterId: string | null
  action: 'create' | 'update' | 'delete' | 'join' | 'unjoin' | 'rotate' | 'kubeconfig'
  outcome: 'pending' | 'success' | 'failure'
  /** Revision of the owner, or of the membership when `clusterId` is set: rises within it. */
  sequence: number
  /** CamelCase constant. */
  reason: string
  message: string
  /** ISO-8601 UTC. */
  time: string
  /** The owner's; absent in a member's event, and in those of releases that did not write it. */
  name?: string
  /** Who asked for it, when somebody did: what goes on later has nobody. */
  initiator?: { userId: string; projectId: string }
  /** False: tells of something that begins and ends no change, so it is nothing to notify of. */
  notify?: false
}
