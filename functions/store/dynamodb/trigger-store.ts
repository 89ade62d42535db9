import * as z from 'zod'
import type { Delivery, DeliveryKey, Trigger } from '../../core/trigger/trigger.ts'
import type { DeliveryChange, TriggerChange, TriggerStore } from '../trigger.store.ts'
import { type Action, alreadyExists, asWrite, revisionConflict } from './action.ts'
import { deliveryIndexAttributes, deliveryPartition, indexChanges, presentOnly } from './index-attributes.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import {
  deliveryKey,
  deliveryKeyParts,
  deliveryPrefix,
  epochSeconds,
  projectPartition,
  TRIGGER_PREFIX,
  triggerKey,
} from './keys.ts'
import { getItem, type Item, queryPrefix, readPage, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { updateExpression } from './updates.ts'
import { dueEntries } from './work-store.ts'

export const TRIGGER_SCHEMA_VERSION = 1

export const triggerItem = z
  .object({
    schemaVersion: schemaVersion(TRIGGER_SCHEMA_VERSION),
    id: text,
    projectId: text,
    userId: text,
    name: text,
    events: z.array(text),
    filter: z.object({
      owner: text.exactOptional(),
      clusterId: text.exactOptional(),
      outcome: z.enum(['pending', 'success', 'failure']).exactOptional(),
    }),
    url: text,
    formerSecretUntil: textOrNull,
    testedAt: textOrNull,
    revision: count,
    createdAt: text,
  })
  .transform(({ schemaVersion: _, ...trigger }) => trigger)

export const DELIVERY_SCHEMA_VERSION = 1

export const deliveryItem = z
  .object({
    schemaVersion: schemaVersion(DELIVERY_SCHEMA_VERSION),
    ttl: count,
    id: text,
    messageId: text,
    projectId: text,
    triggerId: text,
    state: z.enum(['pending', 'delivered', 'dead']),
    type: text,
    payload: text,
    attempts: count,
    since: text,
    nextAt: textOrNull,
    last: z.object({ at: text, status: z.int().nullable(), message: text }).nullable(),
    revision: count,
  })
  .transform(({ schemaVersion: _, ...delivery }) => delivery)

/** How long a delivery is listed, seconds: as events are, 30 days. */
const DELIVERY_LIFE_SECONDS = 30 * 24 * 3600

const parseTrigger = (item: Item): Trigger => parseItem(triggerItem, item)

const asRead = (what: 'trigger' | 'delivery', { id, revision }: { id: string; revision: number }) => ({
  condition: '#revision = :read',
  values: { ':read': revision },
  onConflict: () => revisionConflict(what, id, revision),
})

const insert = (trigger: Trigger): Action => ({
  type: 'put',
  item: { ...triggerKey(trigger), schemaVersion: TRIGGER_SCHEMA_VERSION, ...trigger },
  condition: 'attribute_not_exists(#pk)',
  onConflict: () => alreadyExists('trigger', trigger.id),
  places: [{ of: 'triggers', projectId: trigger.projectId, by: 1 }],
})

const updated = (fields: Parameters<typeof updateExpression>[0], guard: ReturnType<typeof asRead>) => {
  const { text: update, values } = updateExpression(fields)
  return { ...guard, update, values: { ...values, ...guard.values } }
}

const change = (read: Trigger, fields: TriggerChange): Action => ({
  type: 'update',
  key: triggerKey(read),
  ...updated({ set: { ...fields, revision: read.revision + 1 } }, asRead('trigger', read)),
})

const addDelivery = (context: StoreContext, delivery: Delivery): Action => ({
  type: 'put',
  item: {
    ...deliveryKey(delivery),
    schemaVersion: DELIVERY_SCHEMA_VERSION,
    ttl: epochSeconds(context.clock) + DELIVERY_LIFE_SECONDS,
    ...delivery,
    ...presentOnly(deliveryIndexAttributes(delivery)),
  },
  condition: 'attribute_not_exists(#pk)',
  optional: true,
  onConflict: () => alreadyExists('delivery', delivery.id),
})

const changeDelivery = (read: Delivery, fields: DeliveryChange): Action => {
  const index = indexChanges(deliveryIndexAttributes({ ...read, ...fields }))
  const set = { ...fields, ...index.set, revision: read.revision + 1 }
  return {
    type: 'update',
    key: deliveryKey(read),
    ...updated({ set, remove: index.remove }, asRead('delivery', read)),
  }
}

/** Undefined when it is no longer listed. */
const living = ({ clock }: StoreContext, item: Item): Delivery | undefined => {
  const { ttl, ...delivery } = parseItem(deliveryItem, item)
  return ttl > epochSeconds(clock) ? delivery : undefined
}

async function* due(context: StoreContext, now: string): AsyncGenerator<DeliveryKey> {
  for await (const item of dueEntries(context, deliveryPartition, now)) yield deliveryKeyParts(item)
}

/** Triggers and deliveries in DynamoDB. */
export const dynamoTriggerStore = (context: StoreContext): TriggerStore => ({
  get: async (key) => {
    const item = await getItem(context, triggerKey(key))
    return item === undefined ? undefined : parseTrigger(item)
  },
  listOf: async (projectId) => {
    const items = await toArray(queryPrefix(context, { pk: projectPartition(projectId), prefix: TRIGGER_PREFIX }))
    return items.map(parseTrigger)
  },
  insert: (trigger) => asWrite(insert(trigger)),
  change: (read, fields) => asWrite(change(read, fields)),
  remove: (read) =>
    asWrite({
      type: 'delete',
      key: triggerKey(read),
      ...asRead('trigger', read),
      places: [{ of: 'triggers', projectId: read.projectId, by: -1 }],
    }),
  getDelivery: async (key) => {
    const item = await getItem(context, deliveryKey(key))
    return item === undefined ? undefined : living(context, item)
  },
  deliveriesOf: ({ projectId, id }, page) =>
    readPage(context, {
      pk: projectPartition(projectId),
      prefix: deliveryPrefix(id),
      page,
      parse: (item) => living(context, item),
    }),
  addDelivery: (delivery) => asWrite(addDelivery(context, delivery)),
  changeDelivery: (read, fields) => asWrite(changeDelivery(read, fields)),
  due: (now) => due(context, now),
})
