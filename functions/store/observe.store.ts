import type { Hook, HookTarget, ObserveKey, ObserveRequest } from '../core/cluster/observe-request.ts'
import type { Write } from './write.ts'

/** Who waits for an observation of which cluster. */
export interface ObserveRequestStore {
  /** Strongly consistent. */
  get(key: ObserveKey): Promise<ObserveRequest | undefined>
  /** Stores the request of somebody who asks. Conflicts: RevisionConflict, ClusterNotUsable when the cluster is gone. */
  ask(read: ObserveRequest | undefined, next: ObserveRequest): Write
  /** Stores what becomes of it. Conflict: RevisionConflict. */
  replace(read: ObserveRequest, next: ObserveRequest): Write
  /** One that is absent is no error. */
  remove(key: ObserveKey): Write
  /** Those that nobody has begun, or ended in time (ISO-8601), the longest due first. Eventually consistent. */
  due(now: string): AsyncIterable<ObserveKey>
}

/** Hooks of clusters. */
export interface HookStore {
  /** What a token's digest leads to. Strongly consistent. */
  find(digest: string): Promise<HookTarget | undefined>
  /** All of a cluster, in order of creation: few. */
  listOf(cluster: ObserveKey): Promise<Hook[]>
  /** Conflict: AlreadyExists. */
  insert(hook: Hook): Write
  /** Its URL leads nowhere from then on. One that is absent is no error. */
  remove(hook: Hook): Write
}
