import { RevisionConflict } from '../errors.ts'
import type { StreamPlaceStore } from '../stores.ts'
import type { Commit } from '../write.ts'
import { asWrite } from './action.ts'
import { epochSeconds, projectPartition, STREAM_PREFIX, streamPlaceKey } from './keys.ts'
import { queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'

/** Another stream was faster. Never leaves this file. */
class Taken extends RevisionConflict {}

/** After its lease, seconds, an item is removed. */
const LIFE_SECONDS = 3600

type Taking = Parameters<StreamPlaceStore['take']>[0]

const takePlace = async (
  context: StoreContext,
  commit: Commit,
  taking: Taking & { place: number },
): Promise<boolean> => {
  const { projectId, id, until, place } = taking
  try {
    await commit([
      asWrite({
        type: 'put',
        item: {
          ...streamPlaceKey(projectId, place),
          owner: id,
          until,
          ttl: epochSeconds(context.clock) + LIFE_SECONDS,
        },
        condition: 'attribute_not_exists(#pk) OR #until < :now',
        values: { ':now': context.clock.now().toISOString() },
        onConflict: () => new Taken(`The place ${place} is taken.`),
      }),
    ])
    return true
  } catch (error) {
    if (error instanceof Taken) return false
    throw error
  }
}

/** Places of streams in DynamoDB: an item for each that is taken. */
export const dynamoStreamPlaceStore = (context: StoreContext, commit: Commit): StreamPlaceStore => ({
  take: async (taking) => {
    const query = { pk: projectPartition(taking.projectId), prefix: STREAM_PREFIX }
    const now = context.clock.now().toISOString()
    const items = await toArray(queryPrefix(context, query))
    const taken = new Set(items.filter(({ until }) => String(until) >= now).map(({ sk }) => String(sk)))
    for (let place = 0; place < taking.max; place += 1) {
      if (taken.has(streamPlaceKey(taking.projectId, place).sk)) continue
      if (await takePlace(context, commit, { ...taking, place })) return place
    }
    return undefined
  },
  leave: async ({ projectId, id, place }) => {
    await commit([
      asWrite({
        type: 'delete',
        key: streamPlaceKey(projectId, place),
        condition: '#owner = :owner',
        values: { ':owner': id },
        optional: true,
        onConflict: () => new Taken(`The place ${place} is another stream's.`),
      }),
    ])
  },
})
