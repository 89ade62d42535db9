import type { ProjectLimits } from '../core/values/quota.ts'

declare const opaque: unique symbol

/**
 * One conditional write, made by a store's factory and carried out by `Commit`. Opaque to callers: only the implementation
 * looks inside. Each carries the error to throw when its own condition does not hold.
 */
export type Write = { readonly [opaque]: true }

/**
 * Carries out all writes or none. One write is a conditional put, update or delete; more are one transaction (at most 100, and
 * no two on the same item: combine them in one factory call).
 *
 * Throws the error of the first write whose condition failed. Retries TransactionConflict with jitter for 15 s.
 *
 * @param limits of the projects, demanded of what the writes make and begin. Routes give them; what runs already goes on without
 * @throws StoreBusy when the database stays throttled or in conflict; ProjectLimitReached
 */
export type Commit = (writes: readonly Write[], limits?: ProjectLimits) => Promise<void>
