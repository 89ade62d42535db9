/**
 * The one table of fedplane, as data: `infra/` deploys it, `local/` creates it. Plain constants, so that both can import it without
 * the SDK. Access patterns: `functions/store/README.md`.
 */

/** A sparse index; `KEYS_ONLY`, since readers go on to the item itself. All keys are text. */
export type IndexDefinition = { name: string; partitionKey: string; sortKey: string }

/** Everything in progress, by deadline: the reconciler's work list. */
export const OPEN_WORK_INDEX: IndexDefinition = { name: 'open-work', partitionKey: 'openPk', sortKey: 'openSk' }
/** Memberships whose credential expires, by the time when renewal is due. */
export const RENEWALS_INDEX: IndexDefinition = { name: 'renewals', partitionKey: 'renewPk', sortKey: 'renewSk' }
/** All entities of a kind across projects: health sweep, administrators' lists. */
export const KINDS_INDEX: IndexDefinition = { name: 'kinds', partitionKey: 'kindPk', sortKey: 'kindSk' }

/** Partitions of each cross-project index, so that none is limited to the 1,000 writes a second of one partition. */
export const INDEX_SHARDS = 16

/** Beginnings of keys that readers of the table's stream are given records by. */
export const EVENT_PREFIX = 'EVENT#'
/** A partition apart, which is all that the forwarder of events may write to. */
export const FEED_PARTITION = 'FEED#'
export const DELIVERY_PREFIX = 'DELIVERY#'
export const OBSERVE_PREFIX = 'OBSERVE#'

export const TABLE_DEFINITION = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [OPEN_WORK_INDEX, RENEWALS_INDEX, KINDS_INDEX],
  /** Epoch seconds. Expired items are also filtered by code: DynamoDB removes them within days, not at once. */
  ttlAttribute: 'ttl',
  streamViewType: 'NEW_AND_OLD_IMAGES',
} as const

/** Partitions of what the identity facade keeps begin so, and rights on them are given by it. */
export const IDENTITY_PREFIX = 'IDENTITY#'
