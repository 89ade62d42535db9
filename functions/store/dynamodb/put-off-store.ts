import * as z from 'zod'
import { RevisionConflict } from '../errors.ts'
import type { PutOffStore } from '../work.store.ts'
import { asWrite } from './action.ts'
import { parseItem, schemaVersion, text } from './item.schema.ts'
import { putOffKey } from './keys.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './request.ts'

export const PUT_OFF_SCHEMA_VERSION = 1

export const putOffItem = z
  .object({
    schemaVersion: schemaVersion(PUT_OFF_SCHEMA_VERSION),
    at: text,
    putOff: z.record(z.string(), z.array(text)),
  })
  .transform(({ putOff }) => putOff)

/** What runs of the health sweep leave to the next ones, in DynamoDB: an item for each part. */
export const dynamoPutOffStore = (context: StoreContext): PutOffStore => ({
  get: async (part) => {
    const item = await getItem(context, putOffKey(part))
    return item === undefined ? {} : parseItem(putOffItem, item)
  },
  replace: (part, putOff, now) =>
    asWrite({
      type: 'put',
      item: { ...putOffKey(part), schemaVersion: PUT_OFF_SCHEMA_VERSION, at: now, putOff },
      condition: 'attribute_not_exists(#pk) OR #at < :at',
      values: { ':at': now },
      optional: true,
      onConflict: () => new RevisionConflict('A later run of the health sweep has put off something else.'),
    }),
})
