import * as z from 'zod'
import { AlreadyExists } from '../errors.ts'
import type { DataKeyItems } from '../sealing/project-keys.ts'
import type { Commit } from '../write.ts'
import { asWrite } from './action.ts'
import { schemaVersion } from './item.schema.ts'
import { dataKeyKey } from './keys.ts'
import { parseItem } from './parse-item.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './store-context.ts'

export const DATA_KEY_SCHEMA_VERSION = 1

export const dataKeyItem = z.object({
  schemaVersion: schemaVersion(DATA_KEY_SCHEMA_VERSION),
  wrapped: z.instanceof(Uint8Array),
})

/** Wrapped data keys, one per project, written once. */
export const dynamoDataKeyItems = (context: StoreContext, commit: Commit): DataKeyItems => ({
  get: async (projectId) => {
    const item = await getItem(context, dataKeyKey(projectId))
    return item === undefined ? undefined : parseItem(dataKeyItem, item).wrapped
  },
  insert: async (projectId, wrapped) => {
    try {
      await commit([
        asWrite({
          type: 'put',
          item: { ...dataKeyKey(projectId), schemaVersion: DATA_KEY_SCHEMA_VERSION, wrapped },
          condition: 'attribute_not_exists(#pk)',
          onConflict: () => new AlreadyExists(`The project ${projectId} has a data key already.`),
        }),
      ])
      return true
    } catch (error) {
      if (error instanceof AlreadyExists) return false
      throw error
    }
  },
})
