import * as z from 'zod'
import { AUTHORITIES } from '../../core/cluster/cluster.ts'
import { KUBECONFIG_ROLES } from '../../core/values/identity.ts'
import { AlreadyExists } from '../errors.ts'
import type { InventoryStore, IssuedKey, IssuedKubeconfig, LeftoverKey } from '../inventory.store.ts'
import { asWrite } from './action.ts'
import { issuedIndexAttributes, issuedPartition, leftPartition, presentOnly } from './index-attributes.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import {
  authorityKeyParts,
  CERTIFICATE_PREFIX,
  CREDENTIAL_PREFIX,
  credentialKeyParts,
  HOOK_PREFIX,
  ISSUED_PREFIX,
  issuedKey,
  issuedKeyParts,
  issuedPrefix,
  LEFT_PREFIX,
  leftKey,
  leftKeyParts,
  MEMBERSHIP_PREFIX,
  projectPartition,
} from './keys.ts'
import { leftoverItem, putLeftover, removeLeftover } from './leftover-items.ts'
import { membershipItem } from './membership-store.ts'
import { hookItem } from './observe-store.ts'
import { getItem, type Item, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { updateExpression } from './updates.ts'
import { dueEntries } from './work-store.ts'

export const ISSUED_SCHEMA_VERSION = 1

export const issuedItem = z
  .object({
    schemaVersion: schemaVersion(ISSUED_SCHEMA_VERSION),
    ttl: count.exactOptional(),
    id: text,
    projectId: text,
    of: z.object({ kind: z.enum(['federation', 'cluster']), id: text }),
    userId: text,
    role: z.enum(KUBECONFIG_ROLES),
    namespace: textOrNull,
    expiresAt: text,
    createdAt: text,
    isWithheld: z.literal(true).exactOptional(),
  })
  .transform(({ schemaVersion: _, ttl: __, ...issued }): IssuedKubeconfig => issued)

const keyItem = z.object({ pk: text, sk: text })
const certificate = z.object({ certificatePem: text })
const AuthorityType = z.enum(AUTHORITIES)

const authorityOf = (item: Item) => {
  const { type, ...parts } = authorityKeyParts(parseItem(keyItem, item))
  return { ...parts, type: AuthorityType.parse(type), ...parseItem(certificate, item) }
}

async function* due(context: StoreContext, now: string): AsyncGenerator<IssuedKey> {
  for await (const item of dueEntries(context, issuedPartition, now)) yield issuedKeyParts(item)
}

async function* dueLeftovers(context: StoreContext, now: string): AsyncGenerator<LeftoverKey> {
  for await (const item of dueEntries(context, leftPartition, now)) yield leftKeyParts(item)
}

const updateWith = (set: Record<string, unknown>) => {
  const { text: update, values } = updateExpression({ set })
  return { update, values }
}

type ReadAll = (projectId: string, prefix: string, attributes?: string) => Promise<Item[]>

type LeftoverStore = Pick<
  InventoryStore,
  'leftovers' | 'getLeftover' | 'putLeftover' | 'removeLeftover' | 'dueLeftovers'
>

const leftovers = (context: StoreContext, all: ReadAll): LeftoverStore => ({
  leftovers: async (projectId) => (await all(projectId, LEFT_PREFIX)).map((item) => parseItem(leftoverItem, item)),
  getLeftover: async (key) => {
    const item = await getItem(context, leftKey(key))
    return item && parseItem(leftoverItem, item)
  },
  putLeftover: (read, next) => asWrite(...putLeftover(read, next)),
  removeLeftover: (read) => asWrite(...removeLeftover(read)),
  dueLeftovers: (now) => dueLeftovers(context, now),
})

/** What there is of credentials, in DynamoDB. Sealed bytes stay there. */
export const dynamoInventoryStore = (context: StoreContext): InventoryStore => {
  const all: ReadAll = (projectId, prefix, attributes) => {
    const projection = attributes === undefined ? {} : { ProjectionExpression: attributes }
    return toArray(queryPrefix(context, { pk: projectPartition(projectId), prefix, ...projection }))
  }
  return {
    sealed: async (projectId) =>
      (await all(projectId, CREDENTIAL_PREFIX, '#pk, #sk')).map((item) => credentialKeyParts(parseItem(keyItem, item))),
    authorities: async (projectId) =>
      (await all(projectId, CERTIFICATE_PREFIX, '#pk, #sk, #certificatePem')).map(authorityOf),
    hooks: async (projectId) => (await all(projectId, HOOK_PREFIX)).map((item) => parseItem(hookItem, item)),
    memberships: async (projectId) =>
      (await all(projectId, MEMBERSHIP_PREFIX)).map((item) => parseItem(membershipItem, item)),
    issued: async (projectId) => {
      const now = context.clock.now().toISOString()
      const records = (await all(projectId, ISSUED_PREFIX)).map((item) => parseItem(issuedItem, item))
      return records.filter(({ expiresAt }) => expiresAt > now)
    },
    remember: (issued) =>
      asWrite({
        type: 'put',
        item: {
          ...issuedKey(issued),
          schemaVersion: ISSUED_SCHEMA_VERSION,
          // What was made for it in a cluster goes first.
          ...(issued.of.kind === 'cluster' ? {} : { ttl: Math.ceil(Date.parse(issued.expiresAt) / 1000) }),
          ...issued,
          ...presentOnly(issuedIndexAttributes(issued)),
        },
        condition: 'attribute_not_exists(#pk)',
        onConflict: () => new AlreadyExists(`There is a kubeconfig ${issued.id} already.`),
      }),
    withhold: (key) =>
      asWrite({
        type: 'update',
        key: issuedKey(key),
        ...updateWith({ isWithheld: true }),
        condition: 'attribute_exists(#pk)',
        onConflict: () => new AlreadyExists('unreachable: the write is optional'),
        optional: true,
      }),
    get: async (key) => {
      const item = await getItem(context, issuedKey(key))
      return item && parseItem(issuedItem, item)
    },
    issuedOf: async ({ projectId, kind = 'cluster', id }) =>
      (await all(projectId, issuedPrefix({ kind, id }))).map((item) => parseItem(issuedItem, item)),
    forget: (key) =>
      asWrite({
        type: 'delete',
        key: issuedKey(key),
        onConflict: () => new AlreadyExists('unreachable: the write has no condition'),
      }),
    due: (now) => due(context, now),
    ...leftovers(context, all),
  }
}
