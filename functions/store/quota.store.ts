import type { Quota } from '../core/values/quota.ts'
import type { Write } from './write.ts'

/** Quotas of all projects, and how much of them is taken. */
export interface QuotaStore {
  /** Undefined when none is set. Strongly consistent. */
  get(projectId: string): Promise<Quota | undefined>
  /** All projects' quotas by `number`. Strongly consistent. */
  list(): Promise<Quota[]>
  /** The next free `number`; one that is taken and not used leaves a gap. */
  nextNumber(): Promise<number>
  /** New quota. Conflict: AlreadyExists. */
  insert(quota: Quota): Write
  /** Conflict: RevisionConflict. */
  change(read: Quota, change: Pick<Quota, 'hardLimit' | 'updatedAt'>): Write
  /** Conflict: RevisionConflict. */
  remove(read: Quota): Write

  /**
   * Takes one place of the project's clusters, before the cluster is stored: exact under concurrency, and of no conflict with others. A
   * count that was left too high by a crash is repaired by counting, once it has been at rest for a minute.
   *
   * @throws QuotaReached when `limit` clusters are there already
   */
  takePlace(projectId: string, limit: number): Promise<void>
  /** Gives a place back, once, after the cluster is gone or was not stored. Never below none; an absent count is no error. */
  freePlace(projectId: string): Promise<void>
}
