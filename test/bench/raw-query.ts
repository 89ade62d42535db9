import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { CLUSTER_PREFIX, projectPartition } from '../../functions/store/dynamodb/keys.ts'
import { openDocumentClient } from '../../functions/store/dynamodb/request.ts'
import { TABLE } from '../../local/database.ts'
import { openEmbeddedDynamoDb } from '../../local/dynamodb/embedded-dynamodb.ts'

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

/**
 * The query that a list can't do without: one page of a project's clusters, strongly consistent, as objects. Nobody but its server reaches
 * a database, so it is asked of a copy, which is taken while the server rests.
 */
export const rawQuery = (dataDir: string, projectId: string) => {
  const copy = mkdtempSync(join(tmpdir(), 'fedplane-bench-'))
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('lock.db') })
  const database = openEmbeddedDynamoDb({ dataDir: copy })
  const client = openDocumentClient(database.connection)
  return {
    /** How many items it found. */
    page: (limit: number): Promise<number> => query(client, projectId, limit),
    close: (): void => {
      client.destroy()
      database.stop()
      rmSync(copy, { recursive: true, force: true })
    },
  }
}
