import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { openDocumentClient } from '../../functions/store/dynamodb/document-client.ts'
import { CLUSTER_PREFIX, projectPartition } from '../../functions/store/dynamodb/keys.ts'
import { TABLE } from '../../local/database.ts'
import { LOCAL_REGION } from '../../local/dynamodb/embedded-dynamodb.ts'

const query = async (client: DynamoDBDocumentClient, projectId: string, limit: number): Promise<number> => {
  let count = 0
  let start: Record<string, unknown> | undefined
  do {
    const answer = await client.send(
      new QueryCommand({
        TableName: TABLE,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': projectPartition(projectId), ':prefix': CLUSTER_PREFIX },
        ConsistentRead: true,
        Limit: limit - count,
        ExclusiveStartKey: start,
      }),
    )
    count += answer.Items?.length ?? 0
    start = answer.LastEvaluatedKey
  } while (start !== undefined && count < limit)
  return count
}

/** The query that a list can't do without: one page of a project's clusters, strongly consistent, as objects. */
export const rawQuery = (endpoint: string, projectId: string) => {
  const client = openDocumentClient({ region: LOCAL_REGION, endpoint })
  return {
    /** How many items it found. */
    page: (limit: number): Promise<number> => query(client, projectId, limit),
    close: (): void => client.destroy(),
  }
}
