import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import type { Hook, HookTarget, ObserveRequest } from '../../../functions/core/cluster/observe-request.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Grant } from '../../../functions/core/grant/grant.ts'
import type { Membership } from '../../../functions/core/membership/membership.ts'
import type { Delivery, Trigger } from '../../../functions/core/trigger/trigger.ts'
import type { DomainEvent } from '../../../functions/core/values/event.ts'
import type { Quota } from '../../../functions/core/values/quota.ts'
import type { ManagementEntry } from '../../../functions/store/cluster.store.ts'
import { clusterItem } from '../../../functions/store/dynamodb/cluster.schema.ts'
import type { clusterTemplateItem } from '../../../functions/store/dynamodb/cluster-template.schema.ts'
import type { eventItem } from '../../../functions/store/dynamodb/event.schema.ts'
import type { federationItem } from '../../../functions/store/dynamodb/federation.schema.ts'
import type { grantItem } from '../../../functions/store/dynamodb/grant-store.ts'
import type { heartbeatItem } from '../../../functions/store/dynamodb/heartbeat-store.ts'
import type { issuedItem } from '../../../functions/store/dynamodb/inventory-store.ts'
import { parseItem } from '../../../functions/store/dynamodb/item.schema.ts'
import type { leftoverItem } from '../../../functions/store/dynamodb/leftover-items.ts'
import type { managementItem } from '../../../functions/store/dynamodb/management-store.ts'
import type { membershipItem } from '../../../functions/store/dynamodb/membership-store.ts'
import type { nodeGroupItem } from '../../../functions/store/dynamodb/node-group-store.ts'
import type { hookItem, hookTokenItem, observeRequestItem } from '../../../functions/store/dynamodb/observe-store.ts'
import type { quotaItem } from '../../../functions/store/dynamodb/quota-store.ts'
import type { selectorItem, selectorWorkItem } from '../../../functions/store/dynamodb/selector-store.ts'
import type { deliveryItem, triggerItem } from '../../../functions/store/dynamodb/trigger-store.ts'
import type { IssuedKubeconfig, Leftover } from '../../../functions/store/inventory.store.ts'
import type { SelectorPointer, SelectorWork } from '../../../functions/store/selector.store.ts'
import type { Heartbeat } from '../../../functions/store/stores.ts'
import { ITEM_SCHEMAS } from '../../support/store/item-schemas.ts'
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
  Keeps<z.output<typeof managementItem>, ManagementEntry>,
  Keeps<z.output<typeof federationItem>, Federation>,
  Keeps<z.output<typeof membershipItem>, Membership>,
  Keeps<z.output<typeof grantItem>, Grant>,
  Keeps<z.output<typeof eventItem>['event'], DomainEvent>,
  Keeps<z.output<typeof selectorItem>, SelectorPointer>,
  Keeps<z.output<typeof selectorWorkItem>, SelectorWork>,
  Keeps<z.output<typeof triggerItem>, Trigger>,
  Keeps<z.output<typeof deliveryItem>, Delivery>,
  Keeps<z.output<typeof observeRequestItem>, ObserveRequest>,
  Keeps<z.output<typeof hookItem>, Hook>,
  Keeps<z.output<typeof hookTokenItem>, HookTarget>,
  Keeps<z.output<typeof issuedItem>, IssuedKubeconfig>,
  Keeps<z.output<typeof leftoverItem>, Leftover>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]

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
  'cluster 3': '3dd3a3e51c25274d',
  'cluster template 1': '135728f1268421cf',
  'node group 1': '01c83d043f2d49fd',
  'node group 2': 'f8350d9e399f4ad8',
  'certificate 1': '1707c2f72cbc9d9a',
  'quota 1': '95b837bc12469d59',
  'quota 2': '14a760d97940acf6',
  'heartbeat 1': 'bf85c47e0e922f58',
  'federation 1': 'fa5027b43b7a64af',
  'federation 2': 'e3847237153253b9',
  'federation 3': 'fa3f1ed07dd17ad5',
  'membership 1': '2423ef9e2c5f5a77',
  'membership 2': 'bd967fdb2de061b2',
  'grant 1': '784058ad0783c20d',
  'membership 3': '2998608a6e06e7ac',
  'selector 1': '0cc3c059b7565784',
  'selector work 1': '4420087b3ed992a5',
  'event 1': '6e9c170f8178d29d',
  'event 2': 'fd79dffe2ccc839b',
  'management 1': '625baa0ad46244de',
  'credential 1': '8c5a164df7212815',
  'data key 1': '76bcfc275d4d8978',
  'idempotency 1': 'cce5eada30c867a1',
  'feed event 2': '7480ffd2464fdd81',
  'trigger 1': '8f178109477a7db8',
  'delivery 1': '5bb92095c80f650d',
  'application credential 1': '27e4a859925b5f6e',
  'observe request 1': '12ce5295c7e32ab0',
  'looks put off 1': 'dbf80e08fe7eedfb',
  'hook 1': 'ed13f67e90fcb5a9',
  'issued kubeconfig 1': 'afa4613208800aea',
  'leftover 1': '503d174e1f15ea7a',
  'hook token 1': '31d0dcfab7032d31',
}

describe('stored items', () => {
  it('keep every attribute of the domain', () => {
    expect(keepsAll).not.toContain(false)
  })

  it.each(ITEM_SCHEMAS)('have a new schema version when their shape changes: $kind', ({ kind, version, schema }) => {
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
