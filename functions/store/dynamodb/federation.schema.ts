import * as z from 'zod'
import {
  condition,
  count,
  driverId,
  jsonObject,
  objectRef,
  operation,
  sortedSet,
  status,
  text,
  textMap,
  textOrNull,
} from './item.schema.ts'

export const FEDERATION_SCHEMA_VERSION = 1

/** A federation as stored. */
export const federationItem = z
  .object({
    schemaVersion: z.literal(FEDERATION_SCHEMA_VERSION),
    id: text,
    projectId: text,
    userId: text,
    name: text,
    driver: driverId,
    hostClusterId: text,
    properties: textMap,
    revision: count,
    status,
    statusReason: textOrNull,
    operation: operation(['create', 'update', 'delete']).nullable(),
    change: z
      .object({
        id: text,
        deadline: text,
        failure: z.object({ reason: text, message: text }).exactOptional(),
        leftBehind: z.array(text).exactOptional(),
      })
      .nullable(),
    conditions: z.array(condition),
    endpoint: textOrNull,
    made: z.array(objectRef),
    driverState: jsonObject,
    createdAt: text,
    updatedAt: textOrNull,
    memberIds: sortedSet(text),
  })
  .transform(({ schemaVersion: _, ...federation }) => federation)
