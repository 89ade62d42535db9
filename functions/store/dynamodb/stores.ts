import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock, KeyService } from '../../core/ports.ts'
import { itemIntegrity } from '../sealing/integrity.ts'
import { projectKeys } from '../sealing/project-keys.ts'
import type { Stores } from '../stores.ts'
import { dynamoCertificateStore } from './certificate-store.ts'
import { dynamoClusterStore } from './cluster-store.ts'
import { dynamoClusterTemplateStore } from './cluster-template-store.ts'
import { dynamoCommit } from './commit.ts'
import { dynamoCredentialStore } from './credential-store.ts'
import { dynamoDataKeyItems } from './data-key-items.ts'
import { dynamoEventStore } from './event-store.ts'
import { dynamoFederationStore } from './federation-store.ts'
import { dynamoHeartbeatStore } from './heartbeat-store.ts'
import { dynamoIdempotencyStore } from './idempotency-store.ts'
import { integrityStore } from './integrity-store.ts'
import { dynamoManagementStore } from './management-store.ts'
import { dynamoMembershipStore } from './membership-store.ts'
import { dynamoNodeGroupStore } from './node-group-store.ts'
import { countingCommit } from './project-places.ts'
import { dynamoQuotaStore } from './quota-store.ts'
import type { StoreContext } from './store-context.ts'
import { dynamoWorkStore } from './work-store.ts'

export type DynamoStoresOptions = {
  documentClient: DynamoDBDocumentClient
  tableName: string
  keys: KeyService
  clock: Clock
  /** Waits between attempts, milliseconds. Default: a timer. */
  pause?: (milliseconds: number) => Promise<void>
}

const timer = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** All stores on one DynamoDB table (`TABLE_DEFINITION`). */
export const dynamoStores = ({
  documentClient,
  tableName,
  keys,
  clock,
  pause = timer,
}: DynamoStoresOptions): Stores => {
  const context: StoreContext = { client: documentClient, tableName, clock, pause }
  const keyOf = projectKeys({ keys, items: dynamoDataKeyItems(context, dynamoCommit(context)), clock })
  const integrity = itemIntegrity(keyOf)
  const commit = countingCommit(context, dynamoCommit(context, integrity))
  return {
    clusters: dynamoClusterStore(context, commit),
    templates: dynamoClusterTemplateStore(context),
    nodeGroups: dynamoNodeGroupStore(context),
    management: dynamoManagementStore(context),
    certificates: dynamoCertificateStore(context, keyOf),
    quotas: dynamoQuotaStore(context, commit),
    heartbeats: dynamoHeartbeatStore(context, commit),
    federations: dynamoFederationStore(context, commit),
    memberships: dynamoMembershipStore(context),
    credentials: dynamoCredentialStore(context, keyOf),
    integrity: integrityStore(integrity),
    events: dynamoEventStore(context),
    idempotency: dynamoIdempotencyStore(context),
    work: dynamoWorkStore(context),
    commit,
  }
}
