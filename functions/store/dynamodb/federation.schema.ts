import * as z from 'zod'
import { ON_HEALTHY, ON_UNHEALTHY } from '../../core/health-policy/health-policy.ts'
import {
  condition,
  count,
  driverId,
  jsonObject,
  loan,
  objectRef,
  operation,
  schemaVersion,
  sortedSet,
  status,
  text,
  textMap,
  textOrNull,
} from './item.schema.ts'
import { clusterSelector } from './selector-store.ts'

const memberSelector = z.object({
  id: text,
  wanted: clusterSelector,
  maxUnavailable: count,
  memberLimit: count.nullable(),
  consent: z.object({ userId: text, rights: z.enum(['view', 'edit', 'more']), clusters: z.enum(['own', 'all']) }),
})

const selection = z.object({
  excluded: z.array(text),
  minute: z.object({ since: text, left: count }).nullable(),
  held: count.nullable(),
  isReleased: z.boolean(),
})

const healthPolicy = z.object({
  onUnhealthy: z.enum(ON_UNHEALTHY),
  afterSeconds: count,
  onHealthy: z.enum(ON_HEALTHY),
})

const leftUnhealthy = z.object({
  clusterId: text,
  uid: textOrNull,
  since: text,
  selectedBy: text.exactOptional(),
  isLent: z.literal(true).exactOptional(),
})

export const FEDERATION_SCHEMA_VERSION = 3

const memberObservation = z.object({ reason: text, message: text, confirmed: z.boolean() })

/** A federation as stored. Version 1 knew nothing of sealed documents and looks, version 2 nothing of `propertiesInForce`, `integrity`, `createdHost`, `hostLoan`, `memberSelector`, `selection`, `healthPolicy` and `leftUnhealthy`; a change adds what it sets and leaves its version. */
export const federationItem = z
  .object({
    schemaVersion: schemaVersion(FEDERATION_SCHEMA_VERSION),
    id: text,
    projectId: text,
    userId: text,
    name: text,
    driver: driverId,
    hostClusterId: text,
    createdHost: z
      .object({ keep: z.boolean(), state: z.enum(['pending', 'ready', 'gone']) })
      .nullable()
      .exactOptional(),
    hostLoan: loan.exactOptional(),
    properties: textMap,
    propertiesInForce: textMap.nullable().exactOptional(),
    revision: count,
    status,
    statusReason: textOrNull,
    operation: operation(['create', 'update', 'delete', 'rotate']).nullable(),
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
    renewAfter: textOrNull.default(null),
    driverSecrets: z.array(text).default([]),
    observation: z
      .object({ observedAt: text, fault: textOrNull, members: z.record(z.string(), memberObservation) })
      .nullable()
      .default(null),
    createdAt: text,
    updatedAt: textOrNull,
    memberIds: sortedSet(text),
    memberSelector: memberSelector.nullable().exactOptional(),
    selection: selection.nullable().exactOptional(),
    healthPolicy: healthPolicy.exactOptional(),
    leftUnhealthy: z.array(leftUnhealthy).exactOptional(),
    integrity: text.exactOptional(),
  })
  .transform(({ schemaVersion: _, ...federation }) => federation)
