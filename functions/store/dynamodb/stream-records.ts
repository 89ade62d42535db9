import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import type { ObserveKey } from '../../core/cluster/observe-request.ts'
import type { DeliveryKey } from '../../core/trigger/trigger.ts'
import type { DomainEvent } from '../../core/values/event.ts'
import { eventItem, feedItem } from './event.schema.ts'
import { parseItem } from './item.schema.ts'
import { deliveryKeyParts, observeKeyParts } from './keys.ts'
import { DELIVERY_PREFIX, EVENT_PREFIX, FEED_PARTITION, OBSERVE_PREFIX } from './table-definition.ts'

const newImage = ({ eventName, dynamodb }: DynamoDBRecord): Record<string, unknown> | undefined =>
  eventName === 'INSERT' && dynamodb?.NewImage !== undefined
    ? unmarshall(dynamodb.NewImage as Parameters<typeof unmarshall>[0])
    : undefined

/** The new event in a record of the table's stream; undefined for records of anything else. @throws ItemCorrupt */
export const eventOfRecord = (record: DynamoDBRecord): DomainEvent | undefined => {
  if (!record.dynamodb?.Keys?.sk?.S?.startsWith(EVENT_PREFIX)) return undefined
  const item = newImage(record)
  return item && parseItem(eventItem, item).event
}

/** The event that a record has put into a feed; undefined for records of anything else. @throws ItemCorrupt */
export const eventOfFeedRecord = (record: DynamoDBRecord): DomainEvent | undefined => {
  if (!record.dynamodb?.Keys?.pk?.S?.startsWith(FEED_PARTITION)) return undefined
  const item = newImage(record)
  return item && parseItem(feedItem, item).event
}

/** The delivery that a record has noted; undefined for records of anything else. */
export const deliveryOfRecord = ({ eventName, dynamodb }: DynamoDBRecord): DeliveryKey | undefined => {
  const [pk, sk] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S]
  return eventName === 'INSERT' && sk?.startsWith(DELIVERY_PREFIX) ? deliveryKeyParts({ pk, sk }) : undefined
}

/** The cluster that a record has asked to observe; undefined for other records, and for those of what becomes of it. */
export const observeOfRecord = ({ dynamodb }: DynamoDBRecord): ObserveKey | undefined => {
  const [pk, sk] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S]
  return sk?.startsWith(OBSERVE_PREFIX) && dynamodb?.NewImage?.askedAt?.S ? observeKeyParts({ pk, sk }) : undefined
}
