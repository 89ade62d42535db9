import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { ROLES } from '../../core/values/identity.ts'
import { AlreadyExists, RevisionConflict } from '../errors.ts'
import type { ApplicationCredential, IdentityStore } from '../identity.store.ts'
import { type Action, asWrite } from './action.ts'
import { dynamoCommit } from './commit.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import {
  APPLICATION_CREDENTIAL_NAME_PREFIX,
  applicationCredentialKey,
  applicationCredentialNameKey,
  epochSeconds,
  loginCountKey,
  revokedTokenKey,
} from './keys.ts'
import { getItem, getItems, type Item, queryPrefix, toArray } from './read.ts'
import { asStoreError, hasName, pauseFor, type StoreContext } from './request.ts'

export const APPLICATION_CREDENTIAL_SCHEMA_VERSION = 1

export const applicationCredentialItem = z.object({
  schemaVersion: schemaVersion(APPLICATION_CREDENTIAL_SCHEMA_VERSION),
  id: text,
  name: text,
  description: text,
  userId: text,
  projectId: text,
  roles: z.array(z.enum(ROLES)),
  unrestricted: z.boolean(),
  secretDigest: text,
  expiresAt: textOrNull,
  createdAt: text,
})

const parseCredential = (item: Item): ApplicationCredential => {
  const { schemaVersion: _, ...credential } = parseItem(applicationCredentialItem, item)
  return credential
}

const nameItem = z.object({ id: text })
const loginsItem = z.object({ logins: count })

const secondsOf = (date: Date): number => Math.ceil(date.getTime() / 1000)

type Span = { id: string; endsAt: Date }

/** One count up or down; `ttl` goes with it, so that the item is removed after its span. */
const addLogins = (context: StoreContext, of: string, { id, endsAt }: Span, by: 1 | -1) =>
  new UpdateCommand({
    TableName: context.tableName,
    Key: loginCountKey(of, id),
    UpdateExpression: 'SET #ttl = :ttl ADD #logins :by',
    ExpressionAttributeNames: { '#ttl': 'ttl', '#logins': 'logins' },
    ExpressionAttributeValues: { ':ttl': secondsOf(endsAt), ':by': by, ...(by < 0 ? { ':least': 1 } : {}) },
    ...(by < 0 ? { ConditionExpression: '#logins >= :least' } : {}),
    ReturnValues: 'UPDATED_NEW',
  })

const nameTaken = (): AlreadyExists =>
  new AlreadyExists('The user has an application credential with this name already.')

const insertion = (credential: ApplicationCredential): Action[] => [
  {
    type: 'put',
    item: { ...applicationCredentialNameKey(credential.userId, credential.name), id: credential.id },
    condition: 'attribute_not_exists(#pk)',
    onConflict: nameTaken,
  },
  {
    type: 'put',
    item: {
      ...applicationCredentialKey(credential.id),
      ...credential,
      roles: [...credential.roles],
      schemaVersion: APPLICATION_CREDENTIAL_SCHEMA_VERSION,
    },
    condition: 'attribute_not_exists(#pk)',
    onConflict: nameTaken,
  },
]

/** The name goes with it while it is this credential's: another may have it since. */
const removal = ({ id, userId, name }: ApplicationCredential): Action[] => [
  {
    type: 'delete',
    key: applicationCredentialNameKey(userId, name),
    condition: '#id = :id',
    values: { ':id': id },
    optional: true,
    onConflict: () => new RevisionConflict('The name belongs to another application credential.'),
  },
  {
    type: 'delete',
    key: applicationCredentialKey(id),
    onConflict: () => new RevisionConflict('unreachable: the write has no condition'),
  },
]

/** What the identity facade keeps, in DynamoDB. Apart from the other stores: functions that do not need it do not carry it. */
export const dynamoIdentityStore = (options: Omit<StoreContext, 'pause'>): IdentityStore => {
  const context: StoreContext = { ...options, pause: pauseFor }
  const commit = dynamoCommit(context)
  return {
    revoke: (tokenId, expiresAt) =>
      commit([
        asWrite({
          type: 'put',
          item: { ...revokedTokenKey(tokenId), ttl: secondsOf(expiresAt) },
          onConflict: () => new RevisionConflict('unreachable: the write has no condition'),
        }),
      ]),
    isAnyRevoked: async (tokenIds) => (await getItems(context, tokenIds.map(revokedTokenKey))).length > 0,
    countLogin: async (of, span) => {
      const { Attributes } = await context.client.send(addLogins(context, of, span, 1)).catch((error: unknown) => {
        throw asStoreError(error)
      })
      return parseItem(loginsItem, { ...loginCountKey(of, span.id), ...Attributes }).logins
    },
    forgetLogin: async (of, span) => {
      await context.client.send(addLogins(context, of, span, -1)).catch((error: unknown) => {
        if (!hasName(error, 'ConditionalCheckFailedException')) throw asStoreError(error)
      })
    },
    applicationCredential: async (id) => {
      const item = await getItem(context, applicationCredentialKey(id))
      const credential = item && parseCredential(item)
      const isOver =
        credential?.expiresAt != null && secondsOf(new Date(credential.expiresAt)) <= epochSeconds(context.clock)
      return isOver ? undefined : credential
    },
    applicationCredentialsOf: async (userId) => {
      const { pk } = applicationCredentialNameKey(userId, '')
      const names = await toArray(queryPrefix(context, { pk, prefix: APPLICATION_CREDENTIAL_NAME_PREFIX }))
      const keys = names.map((item) => applicationCredentialKey(parseItem(nameItem, item).id))
      const items = await getItems(context, keys)
      return items.map(parseCredential).sort((one, other) => (one.id < other.id ? -1 : 1))
    },
    addApplicationCredential: (credential) => commit([asWrite(...insertion(credential))]),
    removeApplicationCredential: (credential) => commit([asWrite(...removal(credential))]),
  }
}
