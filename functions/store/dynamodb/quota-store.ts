import * as z from 'zod'
import { QUOTA_RESOURCE, QUOTA_RESOURCES, type Quota } from '../../core/values/quota.ts'
import { QuotaReached } from '../errors.ts'
import type { QuotaStore } from '../stores.ts'
import type { Commit } from '../write.ts'
import { type Action, alreadyExists, asWrite, revisionConflict } from './action.ts'
import { countedPlaces, type PlaceCounter } from './counted-places.ts'
import { nextNumber } from './counter.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import {
  LIMIT_PREFIX,
  namesPrefix,
  projectPartition,
  QUOTA_PARTITION,
  QUOTA_PREFIX,
  quotaKey,
  usageKey,
} from './keys.ts'
import { countPrefix, getItem, type Item, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { updateExpression } from './updates.ts'

const quotaReached = (projectId: string, limit: number): QuotaReached =>
  new QuotaReached(
    `Project ${projectId} has as many clusters as its quota allows: ${limit}. ${limit === 0 ? 'Ask' : 'Delete one, or ask'} an administrator to raise the limit: ` +
      `openstack coe quotas update --project-id ${projectId} --resource ${QUOTA_RESOURCE} --hard-limit <number> ` +
      `(PATCH /v1/quotas/${projectId}/${QUOTA_RESOURCE}).`,
    { details: { projectId, limit } },
  )

/** Counters of the clusters of each project, exact under concurrency. */
const clusterPlaces = (context: StoreContext, commit: Commit) => {
  const places = countedPlaces(context, commit)
  const counterOf = (projectId: string): PlaceCounter => ({
    key: usageKey(projectId),
    attribute: 'clusters',
    recount: () => countPrefix(context, { pk: projectPartition(projectId), prefix: namesPrefix('CLUSTER') }),
  })
  return {
    takePlace: async (projectId: string, limit: number): Promise<void> => {
      if ((await places.take(counterOf(projectId), 1, limit)) !== 'taken') throw quotaReached(projectId, limit)
    },
    freePlace: (projectId: string): Promise<void> => places.free(counterOf(projectId), 1),
  }
}

export const QUOTA_SCHEMA_VERSION = 2

export const quotaItem = z
  .object({
    schemaVersion: schemaVersion(QUOTA_SCHEMA_VERSION),
    projectId: text,
    resource: z.enum(QUOTA_RESOURCES),
    number: count,
    hardLimit: count,
    revision: count,
    createdAt: text,
    updatedAt: textOrNull,
  })
  .transform(({ schemaVersion: _, ...quota }) => quota)

const parse = (item: Item): Quota => parseItem(quotaItem, item)

/** Undefined when none is set. Strongly consistent. */
export const readQuota = async (
  context: StoreContext,
  key: Pick<Quota, 'projectId' | 'resource'>,
): Promise<Quota | undefined> => {
  const item = await getItem(context, quotaKey(key))
  return item === undefined ? undefined : parse(item)
}

const insert = (quota: Quota): Action => ({
  type: 'put',
  item: { ...quotaKey(quota), schemaVersion: QUOTA_SCHEMA_VERSION, ...quota },
  condition: 'attribute_not_exists(#pk)',
  onConflict: () => alreadyExists('quota', quota.projectId),
})

/** Quotas are removed and set again, and begin at revision 1 then: the number tells one from the next. */
const asRead = (read: Quota) => ({
  condition: '#revision = :read AND #number = :readNumber',
  values: { ':read': read.revision, ':readNumber': read.number },
  onConflict: () => revisionConflict('quota', read.projectId, read.revision),
})

const change = (read: Quota, fields: Pick<Quota, 'hardLimit' | 'updatedAt'>): Action => {
  const { text: update, values } = updateExpression({ set: { ...fields, revision: read.revision + 1 } })
  const guard = asRead(read)
  return { type: 'update', key: quotaKey(read), update, ...guard, values: { ...values, ...guard.values } }
}

/** Quotas in DynamoDB, and how much of them is taken. */
export const dynamoQuotaStore = (context: StoreContext, commit: Commit): QuotaStore => ({
  get: (projectId, resource = QUOTA_RESOURCE) => readQuota(context, { projectId, resource }),
  list: async () => {
    const items = await Promise.all(
      [QUOTA_PREFIX, LIMIT_PREFIX].map((prefix) => toArray(queryPrefix(context, { pk: QUOTA_PARTITION, prefix }))),
    )
    return items
      .flat()
      .map(parse)
      .sort((a, b) => a.number - b.number)
  },
  nextNumber: () => nextNumber(context, QUOTA_PARTITION),
  insert: (quota) => asWrite(insert(quota)),
  change: (read, fields) => asWrite(change(read, fields)),
  remove: (read) => asWrite({ type: 'delete', key: quotaKey(read), ...asRead(read) }),
  ...clusterPlaces(context, commit),
})
