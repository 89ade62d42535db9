import type { Flow } from './operation.ts'

/** Seconds that an operation may take before the reconciler ends it. Generous: retries and undo must fit in. */
export const DEADLINE_SECONDS: Readonly<Record<Flow, number>> = {
  'cluster-create': 3600,
  'cluster-update': 600,
  'cluster-delete': 3600,
  'federation-create': 1800,
  'federation-update': 600,
  'federation-delete': 1800,
  'member-join': 300,
  'member-unjoin': 300,
  'credential-rotate': 300,
}

/** Membership changes that one request may carry: two writes each, in one transaction of at most 100. */
export const MEMBERSHIP_CHANGES_MAX = 45
