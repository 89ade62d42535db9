import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { membershipEntityId } from '../../core/membership/membership.ts'
import type { Clock, KeyService } from '../../core/ports.ts'
import type { CredentialStore } from '../credential.store.ts'
import { AlreadyExists, CredentialUnreadable } from '../errors.ts'
import {
  clusterFacts,
  type Facts,
  federationFacts,
  grantFacts,
  type ItemIntegrity,
  itemIntegrity,
  membershipFacts,
} from '../sealing/integrity.ts'
import { type DataKeyItems, type KeyOfProject, projectKeys, seal, unseal } from '../sealing/seal.ts'
import type { IntegrityStore, Stores } from '../stores.ts'
import type { Commit, Write } from '../write.ts'
import { type Action, asWrite, type EntityKind, revisionConflict } from './action.ts'
import { dynamoCertificateStore } from './certificate-store.ts'
import { dynamoClusterStore } from './cluster-store.ts'
import { dynamoClusterTemplateStore } from './cluster-template-store.ts'
import { dynamoCommit } from './commit.ts'
import { dynamoEventStore } from './event-store.ts'
import { dynamoFederationStore } from './federation-store.ts'
import { dynamoGrantStore } from './grant-store.ts'
import { dynamoHeartbeatStore } from './heartbeat-store.ts'
import { dynamoIdempotencyStore } from './idempotency-store.ts'
import { dynamoInventoryStore } from './inventory-store.ts'
import { parseItem, schemaVersion } from './item.schema.ts'
import { clusterKey, credentialKey, dataKeyKey, federationKey, type ItemKey, membershipKey } from './keys.ts'
import { dynamoManagementStore } from './management-store.ts'
import { dynamoMembershipStore } from './membership-store.ts'
import { dynamoNodeGroupStore } from './node-group-store.ts'
import { dynamoHookStore, dynamoObserveRequestStore } from './observe-store.ts'
import { countingCommit } from './project-places.ts'
import { dynamoPutOffStore } from './put-off-store.ts'
import { dynamoQuotaStore } from './quota-store.ts'
import { getItem } from './read.ts'
import { pauseFor, type StoreContext } from './request.ts'
import { dynamoSelectorStore } from './selector-store.ts'
import { dynamoStreamPlaceStore } from './stream-place-store.ts'
import { dynamoTriggerStore } from './trigger-store.ts'
import { dynamoWorkStore } from './work-store.ts'

export const CREDENTIAL_SCHEMA_VERSION = 1

export const credentialItem = z.object({
  schemaVersion: schemaVersion(CREDENTIAL_SCHEMA_VERSION),
  sealed: z.instanceof(Uint8Array),
})

/** Sealed secrets in DynamoDB. */
const dynamoCredentialStore = (context: StoreContext, keyOf: KeyOfProject): CredentialStore => ({
  get: async (key) => {
    const item = await getItem(context, credentialKey(key))
    if (item === undefined) return undefined
    const { sealed } = parseItem(credentialItem, item)
    return unseal(await keyOf(key.projectId), key, sealed)
  },
  seal: async (key, secret) => {
    const sealed = seal(await keyOf(key.projectId), key, secret)
    return asWrite({
      type: 'put',
      item: { ...credentialKey(key), schemaVersion: CREDENTIAL_SCHEMA_VERSION, sealed },
      onConflict: () => new CredentialUnreadable('unreachable: the write has no condition'),
    })
  },
  remove: (key) =>
    asWrite({
      type: 'delete',
      key: credentialKey(key),
      onConflict: () => new CredentialUnreadable('unreachable: the write has no condition'),
    }),
})

export const DATA_KEY_SCHEMA_VERSION = 1

export const dataKeyItem = z.object({
  schemaVersion: schemaVersion(DATA_KEY_SCHEMA_VERSION),
  wrapped: z.instanceof(Uint8Array),
})

/** Wrapped data keys, one per project, written once. */
const dynamoDataKeyItems = (context: StoreContext, commit: Commit): DataKeyItems => ({
  get: async (projectId) => {
    const item = await getItem(context, dataKeyKey(projectId))
    return item === undefined ? undefined : parseItem(dataKeyItem, item).wrapped
  },
  insert: async (projectId, wrapped) => {
    try {
      await commit([
        asWrite({
          type: 'put',
          item: { ...dataKeyKey(projectId), schemaVersion: DATA_KEY_SCHEMA_VERSION, wrapped },
          condition: 'attribute_not_exists(#pk)',
          onConflict: () => new AlreadyExists(`The project ${projectId} has a data key already.`),
        }),
      ])
      return true
    } catch (error) {
      if (error instanceof AlreadyExists) return false
      throw error
    }
  },
})

type Adopted = { projectId: string; revision: number; integrity?: string }

/** The proof alone, where there is none and nothing has changed since. */
const adopted = (read: Adopted, key: ItemKey, facts: Facts, [kind, id]: [EntityKind, string]): Write => {
  if (read.integrity !== undefined) return asWrite()
  const action: Action = {
    type: 'update',
    key,
    update: 'SET #integrity = :integrity',
    condition: '#revision = :read AND attribute_not_exists(#integrity)',
    values: { ':read': read.revision, ':integrity': '' },
    onConflict: () => revisionConflict(kind, id, read.revision),
    bound: { projectId: read.projectId, facts, read: null },
  }
  return asWrite(action)
}

/** Checks items as they were read. */
const integrityStore = ({ check }: ItemIntegrity): IntegrityStore => ({
  requireCluster: (cluster) => check(cluster.projectId, clusterFacts(cluster), cluster.integrity),
  requireFederation: (federation) => check(federation.projectId, federationFacts(federation), federation.integrity),
  requireMembership: (membership) => check(membership.projectId, membershipFacts(membership), membership.integrity),
  requireGrant: (grant) => check(grant.projectId, grantFacts(grant), grant.integrity),
  adoptCluster: (cluster) => adopted(cluster, clusterKey(cluster), clusterFacts(cluster), ['cluster', cluster.id]),
  adoptFederation: (federation) =>
    adopted(federation, federationKey(federation), federationFacts(federation), ['federation', federation.id]),
  adoptMembership: (membership) =>
    adopted(membership, membershipKey(membership), membershipFacts(membership), [
      'membership',
      membershipEntityId(membership),
    ]),
})

export type DynamoStoresOptions = {
  documentClient: DynamoDBDocumentClient
  tableName: string
  keys: KeyService
  clock: Clock
  /** Waits between attempts, milliseconds. Default: a timer. */
  pause?: (milliseconds: number) => Promise<void>
}

/** All stores on one DynamoDB table (`TABLE_DEFINITION`). */
export const dynamoStores = ({
  documentClient,
  tableName,
  keys,
  clock,
  pause = pauseFor,
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
    grants: dynamoGrantStore(context),
    credentials: dynamoCredentialStore(context, keyOf),
    integrity: integrityStore(integrity),
    events: dynamoEventStore(context, commit),
    idempotency: dynamoIdempotencyStore(context),
    triggers: dynamoTriggerStore(context),
    observeRequests: dynamoObserveRequestStore(context),
    inventory: dynamoInventoryStore(context),
    hooks: dynamoHookStore(context),
    selectors: dynamoSelectorStore(context),
    work: dynamoWorkStore(context),
    putOff: dynamoPutOffStore(context),
    streamPlaces: dynamoStreamPlaceStore(context, commit),
    commit,
  }
}
