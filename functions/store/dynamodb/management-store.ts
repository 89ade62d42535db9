import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { ManagementRole } from '../../core/cluster/cluster.ts'
import type { DriverId } from '../../core/values/ids.ts'
import type { ClusterKey, ManagementEntry, ManagementStore } from '../cluster.store.ts'
import { DefaultManagementTaken, ManagementGone, ManagementInUse } from '../errors.ts'
import { type Action, asWrite, type StoredItem } from './action.ts'
import { count, driverId, parseItem, schemaVersion, text } from './item.schema.ts'
import { defaultManagementKey, MANAGEMENT_PARTITION, MANAGEMENT_PREFIX, managementKey } from './keys.ts'
import { claim, type Reservation, release } from './name-index.ts'
import { queryPrefix } from './read.ts'
import type { StoreContext } from './request.ts'

export const MANAGEMENT_SCHEMA_VERSION = 1

/** A management cluster as stored. Which one is the default is an item of its own, that only one can have. */
export const managementItem = z
  .object({
    schemaVersion: schemaVersion(MANAGEMENT_SCHEMA_VERSION),
    id: text,
    projectId: text,
    driver: driverId,
    clusterCount: count,
  })
  .transform(({ schemaVersion: _, ...entry }) => entry)

const UNUSED = 'attribute_not_exists(#pk) OR #clusterCount = :none'

const inUse = (id: string) => (stored: StoredItem | undefined) => {
  const clusterCount = Number(stored?.clusterCount?.N ?? 0)
  return new ManagementInUse(
    `${clusterCount === 1 ? '1 cluster is' : `${clusterCount} clusters are`} made through the management cluster ${id}; delete ` +
      `${clusterCount === 1 ? 'it' : 'them'} first.`,
    { details: { id, clusterCount } },
  )
}

/** The entry as it shall be; anew, since nothing is made through it. */
const entryOf = ({ projectId, id }: ClusterKey, role: ManagementRole | null): Action => ({
  ...(role === null
    ? { type: 'delete', key: managementKey(id) }
    : {
        type: 'put',
        item: {
          ...managementKey(id),
          schemaVersion: MANAGEMENT_SCHEMA_VERSION,
          id,
          projectId,
          driver: role.driver,
          clusterCount: 0,
        },
      }),
  condition: UNUSED,
  values: { ':none': 0 },
  onConflict: inUse(id),
})

const defaultOf = ({ id }: ClusterKey, { driver }: ManagementRole): Reservation => ({
  key: defaultManagementKey(driver),
  owner: id,
})

const taken = (driver: DriverId) => (owner: string | undefined) =>
  new DefaultManagementTaken(
    `The cluster ${owner} is the default management cluster of the driver ${driver} already. Take that away there first, by PATCH /v1/clusters/${owner} with replace /management and "default": false, or leave "default" out.`,
    { details: { owner, driver } },
  )

/** What is not about the default. */
const plain = (role: ManagementRole | null) => role && { driver: role.driver, options: role.options }

const move = (key: ClusterKey, before: ManagementRole | null, after: ManagementRole | null): Action[] => {
  const given = before?.isDefault ? defaultOf(key, before) : undefined
  const wanted = after?.isDefault ? defaultOf(key, after) : undefined
  return [
    ...(isDeepStrictEqual(plain(before), plain(after)) ? [] : [entryOf(key, after)]),
    ...(given === undefined || isDeepStrictEqual(given, wanted) ? [] : [release(given)]),
    ...(wanted === undefined || after === null ? [] : [claim(wanted, taken(after.driver))]),
  ]
}

const countUse = (id: string, driver: DriverId, by: 1 | -1): Action => ({
  type: 'update',
  key: managementKey(id),
  update: 'ADD #clusterCount :by',
  condition: by === 1 ? '#driver = :driver' : '#clusterCount > :none',
  values: { ':by': by, ...(by === 1 ? { ':driver': driver } : { ':none': 0 }) },
  onConflict: () =>
    new ManagementGone(
      `The cluster ${id} was a management cluster of the driver ${driver} a moment ago, and is none any more. Send the request again.`,
      { details: { id, driver } },
    ),
  ...(by === 1 ? {} : { optional: true as const }),
})

const list = async (context: StoreContext, driver: DriverId): Promise<ManagementEntry[]> => {
  const entries: ManagementEntry[] = []
  for await (const item of queryPrefix(context, { pk: MANAGEMENT_PARTITION, prefix: MANAGEMENT_PREFIX })) {
    const entry = parseItem(managementItem, item)
    if (entry.driver === driver) entries.push(entry)
  }
  return entries
}

/** Management clusters in DynamoDB. */
export const dynamoManagementStore = (context: StoreContext): ManagementStore => ({
  list: (driver) => list(context, driver),
  move: (key, before, after) => asWrite(...move(key, before, after)),
  countUse: (id, driver, by) => asWrite(countUse(id, driver, by)),
})
