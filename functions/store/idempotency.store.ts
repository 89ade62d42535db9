import type { Write } from './write.ts'

/** What an earlier request with the same `Idempotency-Key` made. Kept 24 h. */
export type IdempotentResult = { fingerprint: string; entityId: string }

/** `Idempotency-Key` of creating requests: written in the creating transaction. */
export interface IdempotencyStore {
  /** Undefined when the key is new or older than 24 h. */
  get(projectId: string, key: string): Promise<IdempotentResult | undefined>
  /** Conflict: ReservationTaken (a request with the same key committed meanwhile: read it and answer with it). */
  remember(projectId: string, key: string, result: IdempotentResult): Write
}
