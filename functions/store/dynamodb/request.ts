import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Action, keyOfAction } from './action.ts'

/** `#status` in an expression stands for the attribute `status`: every name is escaped, reserved word or not. */
export const attributeNames = (...expressions: (string | undefined)[]): Record<string, string> =>
  Object.fromEntries(
    expressions.flatMap((text) =>
      (text?.match(/#\w+/g) ?? []).map((placeholder) => [placeholder, placeholder.slice(1)]),
    ),
  )

const filled = <T extends object>(record: T): T | undefined => (Object.keys(record).length === 0 ? undefined : record)

const expressionsOf = (tableName: string, action: Action) => {
  const update = action.type === 'update' ? action.update : undefined
  return {
    TableName: tableName,
    ConditionExpression: action.condition,
    ExpressionAttributeNames: filled(attributeNames(update, action.condition)),
    ExpressionAttributeValues: filled({ ...action.values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

const keyOnly = (action: Action): { pk: string; sk: string } => {
  const { pk, sk } = keyOfAction(action)
  return { pk, sk }
}

/** An action as part of a transaction. */
export const transactItem = (tableName: string, action: Action) => {
  const shared = expressionsOf(tableName, action)
  if (action.type === 'put') return { Put: { ...shared, Item: action.item } }
  if (action.type === 'delete') return { Delete: { ...shared, Key: keyOnly(action) } }
  if (action.type === 'check') return { ConditionCheck: { ...shared, Key: keyOnly(action) } }
  return { Update: { ...shared, Key: keyOnly(action), UpdateExpression: action.update } }
}

/** Carries out an action on its own: half the price of a transaction of one. */
export const sendSingle = async (client: DynamoDBDocumentClient, tableName: string, action: Action): Promise<void> => {
  const shared = expressionsOf(tableName, action)
  if (action.type === 'put') await client.send(new PutCommand({ ...shared, Item: action.item }))
  else if (action.type === 'delete') await client.send(new DeleteCommand({ ...shared, Key: keyOnly(action) }))
  else if (action.type === 'update') {
    const { update } = action
    await client.send(new UpdateCommand({ ...shared, Key: keyOnly(action), UpdateExpression: update }))
  }
}
