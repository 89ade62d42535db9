import type { SweepPart } from '../core/values/workers.ts'
import type { Write } from './write.ts'

/** An entity with something in progress, as the reconciler finds it. */
export type OpenWork = {
  kind: 'cluster' | 'federation' | 'membership'
  projectId: string
  /** As in `FlowInput.entityId`. */
  entityId: string
  /** ISO-8601 UTC. */
  deadline: string
}

/** Something that expires and is to be renewed. */
export type DueRenewal =
  | { kind: 'membership'; projectId: string; federationId: string; clusterId: string }
  | { kind: 'federation' | 'cluster'; projectId: string; id: string }

/** Looks that a run of the health sweep put off: ids of clusters by since when they are due (ISO-8601). */
export type PutOff = Readonly<Record<string, readonly string[]>>

/** What runs of the health sweep leave to the next ones. */
export interface PutOffStore {
  /** Of a part; empty when nothing was. Strongly consistent. */
  get(part: SweepPart): Promise<PutOff>
  /** Takes the place of what was put off before, unless a later run has said more. */
  replace(part: SweepPart, putOff: PutOff, now: string): Write
}

/**
 * Sparse indexes over what needs attention, across projects. Eventually consistent: read the entity before acting. The stores
 * keep the index attributes in step with `operation` and `change` on every write.
 */
export interface WorkStore {
  /** Everything in progress, earliest deadline first. */
  open(): AsyncIterable<OpenWork>
  /**
   * Memberships whose credential, federations whose certificates, and clusters whose credential in a cloud are due for renewal at `now`
   * (ISO-8601 UTC), earliest first.
   */
  renewals(now: string): AsyncIterable<DueRenewal>
  /** Grants that were revoked or have expired by `now` (ISO-8601 UTC) and are not gone yet. */
  endedGrants(now: string): AsyncIterable<{ projectId: string; clusterId: string; id: string }>
  /** All clusters of all projects, or of a part of the health sweep. */
  clusters(part?: SweepPart): AsyncIterable<{ projectId: string; id: string }>
  /** All federations of all projects, likewise. */
  federations(part?: SweepPart): AsyncIterable<{ projectId: string; id: string }>
}
