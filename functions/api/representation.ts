import type { Operation } from '../core/operation/operation.ts'
import type { Condition } from '../core/values/status.ts'

/** ISO-8601 with an offset, as Magnum's clients parse it; null stays null. */
export const timestamp = (iso: string | null): string | null => iso?.replace(/Z$/, '+00:00') ?? null

/** `self` and `bookmark` of an object (magnum-rest.md section 2). */
export const linksOf = (baseUrl: string, collection: string, id: string) => [
  { href: `${baseUrl}/v1/${collection}/${id}`, rel: 'self' },
  { href: `${baseUrl}/${collection}/${id}`, rel: 'bookmark' },
]

export const showOperation = (operation: Operation | null) =>
  operation && {
    id: operation.id,
    kind: operation.kind,
    attempt: operation.attempt,
    mode: operation.mode,
    force: operation.force,
    ...(operation.workloads === undefined ? {} : { workloads: operation.workloads }),
    started_at: timestamp(operation.startedAt),
    deadline: timestamp(operation.deadline),
  }

export const showConditions = (conditions: readonly Condition[]) =>
  conditions.map(({ type, status, reason, message, observedRevision, changedAt }) => ({
    type,
    status,
    reason,
    message,
    observed_revision: observedRevision,
    changed_at: timestamp(changedAt),
  }))
