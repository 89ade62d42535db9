import * as z from 'zod'
import { QUOTA_RESOURCE } from '../../domain/quota.ts'
import { QuotaReached, RevisionConflict } from '../errors.ts'
import type { Commit } from '../write.ts'
import { type Action, asWrite } from './action.ts'
import { count, text } from './item.schema.ts'
import { namesPrefix, projectPartition, usageKey } from './keys.ts'
import { parseItem } from './parse-item.ts'
import { countPrefix, getItem } from './read.ts'
import type { StoreContext } from './store-context.ts'

const usageItem = z.object({ clusters: count, changedAt: text })
type Usage = z.output<typeof usageItem>

/**
 * How long a counter must have been at rest before it is counted anew, milliseconds. No create takes a place that long before it
 * stores its cluster (API Gateway ends a request after 29 s), so what is counted then is all there is.
 */
const REST_MS = 60_000

/** The condition of a write of the counter did not hold. Never leaves this file. */
class CounterDiffers extends RevisionConflict {}

/** True when it was carried out. */
const tryCommit = async (commit: Commit, action: Action): Promise<boolean> => {
  try {
    await commit([asWrite(action)])
    return true
  } catch (error) {
    if (error instanceof CounterDiffers) return false
    throw error
  }
}

const onConflict = () => new CounterDiffers('The count of clusters is another.')

const take = (projectId: string, limit: number, now: string): Action => ({
  type: 'update',
  key: usageKey(projectId),
  update: 'SET #changedAt = :now ADD #clusters :one',
  condition: '#clusters < :limit',
  values: { ':now': now, ':one': 1, ':limit': limit },
  onConflict,
})

const free = (projectId: string, now: string): Action => ({
  type: 'update',
  key: usageKey(projectId),
  update: 'SET #changedAt = :now ADD #clusters :less',
  condition: '#clusters > :none',
  values: { ':now': now, ':less': -1, ':none': 0 },
  onConflict,
})

/** Puts the true count in place of the counter as it was read. */
const mend = (projectId: string, read: Usage | undefined, next: Usage): Action => ({
  type: 'put',
  item: { ...usageKey(projectId), ...next },
  condition:
    read === undefined ? 'attribute_not_exists(#pk)' : '#clusters = :clustersRead AND #changedAt = :changedAtRead',
  ...(read === undefined ? {} : { values: { ':clustersRead': read.clusters, ':changedAtRead': read.changedAt } }),
  onConflict,
})

const quotaReached = (projectId: string, limit: number): QuotaReached =>
  new QuotaReached(
    `Project ${projectId} has as many clusters as its quota allows: ${limit}. Delete one, or ask an administrator to raise the limit: ` +
      `openstack coe quotas update --project-id ${projectId} --resource ${QUOTA_RESOURCE} --hard-limit <number> ` +
      `(PATCH /v1/quotas/${projectId}/${QUOTA_RESOURCE}).`,
    { details: { projectId, limit } },
  )

/** Counters of the clusters of each project, exact under concurrency. */
export const clusterPlaces = (context: StoreContext, commit: Commit) => {
  const now = (): string => context.clock.now().toISOString()
  const isAtRest = ({ changedAt }: Usage): boolean => Date.parse(now()) - Date.parse(changedAt) > REST_MS
  const readUsage = async (projectId: string): Promise<Usage | undefined> => {
    const item = await getItem(context, usageKey(projectId))
    return item === undefined ? undefined : parseItem(usageItem, item)
  }
  const countClusters = (projectId: string): Promise<number> =>
    countPrefix(context, { pk: projectPartition(projectId), prefix: namesPrefix('CLUSTER') })

  return {
    /** Ends: whoever mends the counter, or loses against one who does, finds it changed just now, and so not at rest. */
    takePlace: async (projectId: string, limit: number): Promise<void> => {
      while (!(await tryCommit(commit, take(projectId, limit, now())))) {
        const usage = await readUsage(projectId)
        if (usage !== undefined && usage.clusters < limit) continue
        if (usage !== undefined && !isAtRest(usage)) throw quotaReached(projectId, limit)
        const clusters = await countClusters(projectId)
        await tryCommit(commit, mend(projectId, usage, { clusters, changedAt: now() }))
      }
    },
    freePlace: async (projectId: string): Promise<void> => {
      await tryCommit(commit, free(projectId, now()))
    },
  }
}
