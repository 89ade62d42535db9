import * as z from 'zod'

/** What something asked of AWS, as far as AWS wants money for it. */
export const Count = z.object({
  /** HTTP requests: each is one call of the gateway, of the authorizer, and of a function of the API. */
  requests: z.number(),
  /** In the API's functions, milliseconds as measured. */
  requestMs: z.number(),
  /** Calls of the flows' functions and of workers. */
  invocations: z.number(),
  invocationMs: z.number(),
  /** States entered, and retries. */
  transitions: z.number(),
  /** DynamoDB's units, as the database says them: transactions twice, indexes included. */
  readUnits: z.number(),
  writeUnits: z.number(),
  /** Requests to DynamoDB that read, and that write: they cost by their units, and time by their number. */
  reads: z.number(),
  commits: z.number(),
  kmsCalls: z.number(),
  /** Entries put on the bus: events, and their notifications. */
  events: z.number(),
})
export type Count = z.infer<typeof Count>

export const nothing = (): Count => ({
  requests: 0,
  requestMs: 0,
  invocations: 0,
  invocationMs: 0,
  transitions: 0,
  readUnits: 0,
  writeUnits: 0,
  reads: 0,
  commits: 0,
  kmsCalls: 0,
  events: 0,
})

/** `count` times `factor` and `more`, field by field. */
export const combine = (count: Count, factor: number, more: Count = nothing()): Count =>
  Object.fromEntries(
    Object.entries(count).map(([name, value]) => [name, value * factor + more[name as keyof Count]]),
  ) as Count

/** What customers do, and what goes on by itself: how often is for `bill.ts` to say. */
export const SCENARIOS = {
  list: 'a list of 20 clusters (`GET /v1/clusters`)',
  show: 'one cluster (`GET /v1/clusters/{id}`)',
  register: 'register a cluster by kubeconfig (`external@1`), until it is `CREATE_COMPLETE`',
  create: 'create a federation without members (`clusterprofile@1`)',
  join: 'one member joins (`clusterprofile@1`)',
  unjoin: 'one member leaves (`clusterprofile@1`)',
  delete: 'delete a federation without members (`clusterprofile@1`)',
  forget: 'delete a registered cluster',
  createKarmada: 'create a federation without members (`karmada@1`)',
  joinKarmada: 'one member joins (`karmada@1`)',
  unjoinKarmada: 'one member leaves (`karmada@1`)',
  deleteKarmada: 'delete a federation without members (`karmada@1`)',
  reconcile: 'one run of the reconciler with nothing in progress',
  renew: 'one run of the renewals with nothing due',
  deliver: 'one run of the deliveries of triggers with nothing due',
  sweep: 'one run of the health sweep, without what it does for single clusters',
  look: 'one observation of the health sweep at a healthy cluster',
} as const
export type Scenario = keyof typeof SCENARIOS

/** What `npm run cost` has measured, as it is kept in counts.json. */
export const Counts = z.object({
  measuredAt: z.string(),
  scenarios: z.record(z.enum(Object.keys(SCENARIOS) as [Scenario, ...Scenario[]]), Count),
  /** Bytes of a registered cluster with all of its items, and of a member. */
  clusterBytes: z.number(),
})
export type Counts = z.infer<typeof Counts>
