import * as z from 'zod'
import { RevisionConflict } from '../errors.ts'
import type { Commit } from '../write.ts'
import { type Action, asWrite } from './action.ts'
import { count, parseItem, text } from './item.schema.ts'
import type { ItemKey } from './keys.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './request.ts'

/**
 * How long a counter must have been at rest before it is counted anew, milliseconds. No request takes a place that long before it
 * stores what it is for (API Gateway ends a request after 29 s), so what is counted then is all there is.
 */
const REST_MS = 60_000

/** The condition of a write of the counter did not hold. Never leaves this file. */
class CounterDiffers extends RevisionConflict {}

const onConflict = () => new CounterDiffers('The count is another.')

/** One counter of a project. */
export type PlaceCounter = {
  key: ItemKey
  /** Attribute with the count. */
  attribute: string
  /** Counts what is there, when the counter may be wrong. */
  recount(): Promise<number>
}

type Usage = { used: number; changedAt: string }

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

const readUsage = async (context: StoreContext, { key, attribute }: PlaceCounter): Promise<Usage | undefined> => {
  const item = await getItem(context, key)
  if (item === undefined) return
  const usage = parseItem(z.object({ [attribute]: count, changedAt: text }), item)
  return { used: Number(usage[attribute]), changedAt: String(usage.changedAt) }
}

type Addition = { by: number; condition: string; values?: Record<string, number> }

/** Counters of what projects have, exact under concurrency: one update each, outside of the transaction that stores what is counted. */
export const countedPlaces = (context: StoreContext, commit: Commit) => {
  const now = (): string => context.clock.now().toISOString()
  const isAtRest = ({ changedAt }: Usage): boolean => Date.parse(now()) - Date.parse(changedAt) > REST_MS
  const add = ({ key, attribute }: PlaceCounter, { by, condition, values = {} }: Addition): Promise<boolean> =>
    tryCommit(commit, {
      type: 'update',
      key,
      update: `SET #changedAt = :now ADD #${attribute} :by`,
      condition,
      values: { ':now': now(), ':by': by, ...values },
      onConflict,
    })
  /** Puts the true count in place of the counter as it was read. */
  const repair = async ({ key, attribute, recount }: PlaceCounter, read: Usage | undefined): Promise<void> => {
    const item = { ...key, [attribute]: await recount(), changedAt: now() }
    await tryCommit(commit, {
      type: 'put',
      item,
      condition:
        read === undefined ? 'attribute_not_exists(#pk)' : `#${attribute} = :read AND #changedAt = :changedAtRead`,
      ...(read === undefined ? {} : { values: { ':read': read.used, ':changedAtRead': read.changedAt } }),
      onConflict,
    })
  }

  return {
    /**
     * Takes places if the limit allows them all; else answers how many are used. Ends: whoever repairs the counter, or loses against another
     * client that does, finds it changed just now, and so not at rest.
     */
    take: async (counter: PlaceCounter, by: number, limit: number): Promise<'taken' | { used: number }> => {
      const room = { by, condition: `#${counter.attribute} <= :room`, values: { ':room': limit - by } }
      while (!(await add(counter, room))) {
        const usage = await readUsage(context, counter)
        if (usage !== undefined && usage.used + by <= limit) continue
        if (usage !== undefined && !isAtRest(usage)) return { used: usage.used }
        await repair(counter, usage)
      }
      return 'taken'
    },
    /** Counts what no limit refuses. An absent counter stays absent: it is counted when it is asked for. */
    count: async (counter: PlaceCounter, by: number): Promise<void> => {
      await add(counter, { by, condition: 'attribute_exists(#pk)' })
    },
    /** Gives places back; never below none. */
    free: async (counter: PlaceCounter, by: number): Promise<void> => {
      await add(counter, { by: -by, condition: `#${counter.attribute} >= :least`, values: { ':least': by } })
    },
  }
}
