import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { count, parseItem } from './item.schema.ts'
import { counterKey } from './keys.ts'
import { asStoreError, type StoreContext } from './request.ts'

const counterItem = z.object({ last: count })

/** The next number of a partition, from 1. A lost answer, or a number that is not used, leaves a gap. */
export const nextNumber = async ({ client, tableName }: StoreContext, pk: string): Promise<number> => {
  const key = counterKey(pk)
  const { Attributes: attributes } = await client
    .send(
      new UpdateCommand({
        TableName: tableName,
        Key: key,
        UpdateExpression: 'ADD #last :one',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'UPDATED_NEW',
      }),
    )
    .catch((error: unknown) => {
      throw asStoreError(error)
    })
  return parseItem(counterItem, { ...key, ...attributes }).last
}
