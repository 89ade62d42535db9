import { QUOTA_RESOURCE } from '../../core/values/quota.ts'
import { QuotaReached } from '../errors.ts'
import type { Commit } from '../write.ts'
import { countedPlaces, type PlaceCounter } from './counted-places.ts'
import { namesPrefix, projectPartition, usageKey } from './keys.ts'
import { countPrefix } from './read.ts'
import type { StoreContext } from './store-context.ts'

const quotaReached = (projectId: string, limit: number): QuotaReached =>
  new QuotaReached(
    `Project ${projectId} has as many clusters as its quota allows: ${limit}. Delete one, or ask an administrator to raise the limit: ` +
      `openstack coe quotas update --project-id ${projectId} --resource ${QUOTA_RESOURCE} --hard-limit <number> ` +
      `(PATCH /v1/quotas/${projectId}/${QUOTA_RESOURCE}).`,
    { details: { projectId, limit } },
  )

/** Counters of the clusters of each project, exact under concurrency. */
export const clusterPlaces = (context: StoreContext, commit: Commit) => {
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
