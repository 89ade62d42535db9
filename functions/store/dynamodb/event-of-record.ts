import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import type { DomainEvent } from '../../core/values/event.ts'
import { eventItem } from './event.schema.ts'
import { parseItem } from './parse-item.ts'

/** The new event in a record of the table's stream; undefined for records of anything else. @throws ItemCorrupt */
export const eventOfRecord = ({ eventName, dynamodb }: DynamoDBRecord): DomainEvent | undefined => {
  const image = dynamodb?.NewImage
  if (eventName !== 'INSERT' || image === undefined || !dynamodb?.Keys?.sk?.S?.startsWith('EVENT#')) return undefined
  return parseItem(eventItem, unmarshall(image as Parameters<typeof unmarshall>[0])).event
}
