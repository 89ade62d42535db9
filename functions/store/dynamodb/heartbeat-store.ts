import * as z from 'zod'
import { AlreadyExists, RevisionConflict } from '../errors.ts'
import type { HeartbeatStore } from '../stores.ts'
import type { Commit } from '../write.ts'
import { asWrite } from './action.ts'
import { nextNumber } from './counter.ts'
import { count, parseItem, schemaVersion, text } from './item.schema.ts'
import { HOST_PREFIX, heartbeatKey, SERVICE_PARTITION } from './keys.ts'
import { queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'

export const HEARTBEAT_SCHEMA_VERSION = 1

export const heartbeatItem = z
  .object({
    schemaVersion: schemaVersion(HEARTBEAT_SCHEMA_VERSION),
    number: count,
    host: text,
    reportCount: count,
    createdAt: text,
    updatedAt: text,
  })
  .transform(({ schemaVersion: _, ...heartbeat }) => heartbeat)

/** Nothing was heard of the host yet. Never leaves this file. */
class Unheard extends RevisionConflict {}

/** False when the host is new. */
const beatAgain = async (commit: Commit, host: string, now: string): Promise<boolean> => {
  try {
    await commit([
      asWrite({
        type: 'update',
        key: heartbeatKey(host),
        update: 'SET #updatedAt = :now ADD #reportCount :one',
        condition: 'attribute_exists(#pk)',
        values: { ':now': now, ':one': 1 },
        onConflict: () => new Unheard(`Nothing was heard of ${host} yet.`),
      }),
    ])
    return true
  } catch (error) {
    if (error instanceof Unheard) return false
    throw error
  }
}

/** False when another first beat of the host was faster: its number stays, and ours is a gap. */
const beatFirst = async (context: StoreContext, commit: Commit, heartbeat: { host: string; now: string }) => {
  const { host, now } = heartbeat
  const number = await nextNumber(context, SERVICE_PARTITION)
  const item = { number, host, reportCount: 1, createdAt: now, updatedAt: now }
  try {
    await commit([
      asWrite({
        type: 'put',
        item: { ...heartbeatKey(host), schemaVersion: HEARTBEAT_SCHEMA_VERSION, ...item },
        condition: 'attribute_not_exists(#pk)',
        onConflict: () => new AlreadyExists(`${host} has reported already.`),
      }),
    ])
    return true
  } catch (error) {
    if (error instanceof AlreadyExists) return false
    throw error
  }
}

/** Signs of life in DynamoDB: one item per host, which is never removed. */
export const dynamoHeartbeatStore = (context: StoreContext, commit: Commit): HeartbeatStore => ({
  beat: async (host) => {
    const now = context.clock.now().toISOString()
    if (await beatAgain(commit, host, now)) return
    if (await beatFirst(context, commit, { host, now })) return
    await beatAgain(commit, host, now)
  },
  list: async () => {
    const items = await toArray(queryPrefix(context, { pk: SERVICE_PARTITION, prefix: HOST_PREFIX }))
    return items.map((item) => parseItem(heartbeatItem, item)).sort((a, b) => a.number - b.number)
  },
})
