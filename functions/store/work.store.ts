/** An entity with something in progress, as the reconciler finds it. */
export type OpenWork = {
  kind: 'cluster' | 'federation' | 'membership'
  projectId: string
  /** As in `FlowInput.entityId`. */
  entityId: string
  /** ISO-8601 UTC. */
  deadline: string
}

/**
 * Sparse indexes over what needs attention, across projects. Eventually consistent: read the entity before acting. The stores
 * keep the index attributes in step with `operation` and `change` on every write.
 */
export interface WorkStore {
  /** Everything in progress, earliest deadline first. */
  open(): AsyncIterable<OpenWork>
  /** Memberships whose credential is due for renewal at `now` (ISO-8601 UTC), earliest first. */
  renewals(now: string): AsyncIterable<{ projectId: string; federationId: string; clusterId: string }>
  /** All clusters of all projects, for the health sweep. */
  clusters(): AsyncIterable<{ projectId: string; id: string }>
}
