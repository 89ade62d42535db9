import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Cluster } from '../../../functions/domain/cluster.ts'
import type { ClusterTemplate } from '../../../functions/domain/cluster-template.ts'
import type { DomainEvent } from '../../../functions/domain/event.ts'
import type { Federation } from '../../../functions/domain/federation.ts'
import type { Membership } from '../../../functions/domain/membership.ts'
import type { NodeGroup } from '../../../functions/domain/node-group.ts'
import type { Quota } from '../../../functions/domain/quota.ts'
import { CERTIFICATE_SCHEMA_VERSION, certificateItem } from '../../../functions/store/dynamodb/certificate-store.ts'
import { CLUSTER_SCHEMA_VERSION, clusterItem } from '../../../functions/store/dynamodb/cluster.schema.ts'
import {
  CLUSTER_TEMPLATE_SCHEMA_VERSION,
  clusterTemplateItem,
} from '../../../functions/store/dynamodb/cluster-template.schema.ts'
import { CREDENTIAL_SCHEMA_VERSION, credentialItem } from '../../../functions/store/dynamodb/credential-store.ts'
import { DATA_KEY_SCHEMA_VERSION, dataKeyItem } from '../../../functions/store/dynamodb/data-key-items.ts'
import { EVENT_SCHEMA_VERSION, eventItem } from '../../../functions/store/dynamodb/event.schema.ts'
import { FEDERATION_SCHEMA_VERSION, federationItem } from '../../../functions/store/dynamodb/federation.schema.ts'
import { HEARTBEAT_SCHEMA_VERSION, heartbeatItem } from '../../../functions/store/dynamodb/heartbeat-store.ts'
import { IDEMPOTENCY_SCHEMA_VERSION, idempotencyItem } from '../../../functions/store/dynamodb/idempotency-store.ts'
import { MEMBERSHIP_SCHEMA_VERSION, membershipItem } from '../../../functions/store/dynamodb/membership.schema.ts'
import { NODE_GROUP_SCHEMA_VERSION, nodeGroupItem } from '../../../functions/store/dynamodb/node-group.schema.ts'
import { parseItem } from '../../../functions/store/dynamodb/parse-item.ts'
import { QUOTA_SCHEMA_VERSION, quotaItem } from '../../../functions/store/dynamodb/quota-store.ts'
import type { Heartbeat } from '../../../functions/store/heartbeat.store.ts'
import { sampleCluster } from '../../support/store/samples.ts'

/** Each optional attribute made a must, at any depth: else a schema that forgot one would still fit. */
type Whole<T> = T extends readonly (infer Member)[]
  ? readonly Whole<Member>[]
  : T extends object
    ? { readonly [K in keyof T]-?: Whole<T[K]> }
    : T
type Keeps<Stored, Domain> = Whole<Stored> extends Whole<Domain> ? true : false

/** Checked by the compiler: what is read back has every attribute of the domain's type. */
const keepsAll: [
  Keeps<z.output<typeof clusterItem>, Cluster>,
  Keeps<z.output<typeof clusterTemplateItem>, ClusterTemplate>,
  Keeps<z.output<typeof nodeGroupItem>, NodeGroup>,
  Keeps<z.output<typeof quotaItem>, Quota>,
  Keeps<z.output<typeof heartbeatItem>, Heartbeat>,
  Keeps<z.output<typeof federationItem>, Federation>,
  Keeps<z.output<typeof membershipItem>, Membership>,
  Keeps<z.output<typeof eventItem>['event'], DomainEvent>,
] = [true, true, true, true, true, true, true, true]

const shapeOf = (schema: z.ZodType): string =>
  createHash('sha256')
    .update(JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))
    .digest('hex')
    .slice(0, 16)

/**
 * The shape of each item by schema version. When a shape changes, raise the item's `…_SCHEMA_VERSION`, teach its schema to read the
 * version before, and add a line here. Lines of versions that were never released may be replaced.
 */
const SHAPES: Record<string, string> = {
  'cluster 1': 'f61fc93b76511727',
  'cluster 2': 'f0f8b9b1bec72e04',
  'cluster template 1': '7224732f34df37ba',
  'node group 1': 'c5c4cfc32c598b60',
  'certificate 1': '3ca12373940edb3e',
  'quota 1': '707a1f570ac4109a',
  'heartbeat 1': 'da29319d75e81f6b',
  'federation 1': 'fa5027b43b7a64af',
  'federation 2': '26ac6d9bd7f1eeee',
  'membership 1': '2423ef9e2c5f5a77',
  'membership 2': '9146b95eea1bbe88',
  'event 1': '6132dcbeaf664311',
  'credential 1': '0b6bef8c0f51f891',
  'data key 1': '231d6d8de63a4083',
  'idempotency 1': '0709756635be9a7d',
}

describe('stored items', () => {
  it('keep every attribute of the domain', () => {
    expect(keepsAll).not.toContain(false)
  })

  it.each([
    ['cluster', CLUSTER_SCHEMA_VERSION, clusterItem],
    ['cluster template', CLUSTER_TEMPLATE_SCHEMA_VERSION, clusterTemplateItem],
    ['node group', NODE_GROUP_SCHEMA_VERSION, nodeGroupItem],
    ['certificate', CERTIFICATE_SCHEMA_VERSION, certificateItem],
    ['quota', QUOTA_SCHEMA_VERSION, quotaItem],
    ['heartbeat', HEARTBEAT_SCHEMA_VERSION, heartbeatItem],
    ['federation', FEDERATION_SCHEMA_VERSION, federationItem],
    ['membership', MEMBERSHIP_SCHEMA_VERSION, membershipItem],
    ['event', EVENT_SCHEMA_VERSION, eventItem],
    ['credential', CREDENTIAL_SCHEMA_VERSION, credentialItem],
    ['data key', DATA_KEY_SCHEMA_VERSION, dataKeyItem],
    ['idempotency', IDEMPOTENCY_SCHEMA_VERSION, idempotencyItem],
  ])('have a new schema version when their shape changes: %s', (kind, version, schema) => {
    expect({ [`${kind} ${version}`]: shapeOf(schema) }).toEqual({
      [`${kind} ${version}`]: SHAPES[`${kind} ${version}`],
    })
  })
})

describe('parseItem', () => {
  const item = { ...sampleCluster(), uses: new Set(['host:f1']), sk: 'CLUSTER#1', schemaVersion: 1 }

  it('ignores attributes that it does not know', () => {
    const { uses } = parseItem(clusterItem, { ...item, invented: { later: true } })
    expect(uses).toEqual(['host:f1'])
  })

  it.each([
    ['status', { ...item, status: 'marker-value' }],
    ['schemaVersion', { ...item, schemaVersion: 99 }],
    ['uses', { ...item, uses: new Set(['marker-value']) }],
    ['driver', { ...item, driver: 'marker-value' }],
  ])('names a wrong attribute, never its value: %s', (attribute, broken) => {
    const parse = () => parseItem(clusterItem, broken)
    expect(parse).toThrow(expect.objectContaining({ name: 'ItemCorrupt', message: expect.stringContaining(attribute) }))
    expect(parse).not.toThrow(/marker-value/)
  })
})
