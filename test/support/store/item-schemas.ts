import type * as z from 'zod'
import { CERTIFICATE_SCHEMA_VERSION, certificateItem } from '../../../functions/store/dynamodb/certificate-store.ts'
import { CLUSTER_SCHEMA_VERSION, clusterItem } from '../../../functions/store/dynamodb/cluster.schema.ts'
import {
  CLUSTER_TEMPLATE_SCHEMA_VERSION,
  clusterTemplateItem,
} from '../../../functions/store/dynamodb/cluster-template.schema.ts'
import { EVENT_SCHEMA_VERSION, eventItem, feedItem } from '../../../functions/store/dynamodb/event.schema.ts'
import { FEDERATION_SCHEMA_VERSION, federationItem } from '../../../functions/store/dynamodb/federation.schema.ts'
import { GRANT_SCHEMA_VERSION, grantItem } from '../../../functions/store/dynamodb/grant-store.ts'
import { HEARTBEAT_SCHEMA_VERSION, heartbeatItem } from '../../../functions/store/dynamodb/heartbeat-store.ts'
import { IDEMPOTENCY_SCHEMA_VERSION, idempotencyItem } from '../../../functions/store/dynamodb/idempotency-store.ts'
import {
  APPLICATION_CREDENTIAL_SCHEMA_VERSION,
  applicationCredentialItem,
} from '../../../functions/store/dynamodb/identity-store.ts'
import { ISSUED_SCHEMA_VERSION, issuedItem } from '../../../functions/store/dynamodb/inventory-store.ts'
import { LEFTOVER_SCHEMA_VERSION, leftoverItem } from '../../../functions/store/dynamodb/leftover-items.ts'
import { MANAGEMENT_SCHEMA_VERSION, managementItem } from '../../../functions/store/dynamodb/management-store.ts'
import { MEMBERSHIP_SCHEMA_VERSION, membershipItem } from '../../../functions/store/dynamodb/membership-store.ts'
import { NODE_GROUP_SCHEMA_VERSION, nodeGroupItem } from '../../../functions/store/dynamodb/node-group-store.ts'
import {
  HOOK_SCHEMA_VERSION,
  hookItem,
  hookTokenItem,
  OBSERVE_REQUEST_SCHEMA_VERSION,
  observeRequestItem,
} from '../../../functions/store/dynamodb/observe-store.ts'
import { PUT_OFF_SCHEMA_VERSION, putOffItem } from '../../../functions/store/dynamodb/put-off-store.ts'
import { QUOTA_SCHEMA_VERSION, quotaItem } from '../../../functions/store/dynamodb/quota-store.ts'
import {
  SELECTOR_SCHEMA_VERSION,
  SELECTOR_WORK_SCHEMA_VERSION,
  selectorItem,
  selectorWorkItem,
} from '../../../functions/store/dynamodb/selector-store.ts'
import {
  CREDENTIAL_SCHEMA_VERSION,
  credentialItem,
  DATA_KEY_SCHEMA_VERSION,
  dataKeyItem,
} from '../../../functions/store/dynamodb/stores.ts'
import {
  DELIVERY_SCHEMA_VERSION,
  deliveryItem,
  TRIGGER_SCHEMA_VERSION,
  triggerItem,
} from '../../../functions/store/dynamodb/trigger-store.ts'

/** An item: which keys it has (`<pk> <sk>`), the version that is written, and how it is read. */
export type ItemSchema = { kind: string; key: RegExp; version: number; schema: z.ZodType }

/** Every item that has a schema. Those without are keys only. */
export const ITEM_SCHEMAS: readonly ItemSchema[] = [
  { kind: 'cluster', key: /^P#\S* CLUSTER#/, version: CLUSTER_SCHEMA_VERSION, schema: clusterItem },
  {
    kind: 'cluster template',
    key: /^P#\S* TEMPLATE#/,
    version: CLUSTER_TEMPLATE_SCHEMA_VERSION,
    schema: clusterTemplateItem,
  },
  { kind: 'management', key: /^MANAGEMENT CLUSTER#/, version: MANAGEMENT_SCHEMA_VERSION, schema: managementItem },
  { kind: 'node group', key: /^P#\S* NODEGROUP#/, version: NODE_GROUP_SCHEMA_VERSION, schema: nodeGroupItem },
  { kind: 'certificate', key: /^P#\S* CERT#/, version: CERTIFICATE_SCHEMA_VERSION, schema: certificateItem },
  { kind: 'quota', key: /^QUOTA PROJECT#/, version: QUOTA_SCHEMA_VERSION, schema: quotaItem },
  { kind: 'heartbeat', key: /^SERVICE HOST#/, version: HEARTBEAT_SCHEMA_VERSION, schema: heartbeatItem },
  { kind: 'looks put off', key: /^SERVICE SWEEP#/, version: PUT_OFF_SCHEMA_VERSION, schema: putOffItem },
  { kind: 'federation', key: /^P#\S* FEDERATION#/, version: FEDERATION_SCHEMA_VERSION, schema: federationItem },
  { kind: 'membership', key: /^P#\S* MEMBER#/, version: MEMBERSHIP_SCHEMA_VERSION, schema: membershipItem },
  { kind: 'grant', key: /^P#\S* GRANT#/, version: GRANT_SCHEMA_VERSION, schema: grantItem },
  { kind: 'event', key: /^P#\S* EVENT#/, version: EVENT_SCHEMA_VERSION, schema: eventItem },
  { kind: 'feed event', key: /^FEED#/, version: EVENT_SCHEMA_VERSION, schema: feedItem },
  { kind: 'selector', key: /^P#\S* SELECTOR#/, version: SELECTOR_SCHEMA_VERSION, schema: selectorItem },
  { kind: 'selector work', key: /^P#\S* SELECT#/, version: SELECTOR_WORK_SCHEMA_VERSION, schema: selectorWorkItem },
  { kind: 'trigger', key: /^P#\S* TRIGGER#/, version: TRIGGER_SCHEMA_VERSION, schema: triggerItem },
  { kind: 'delivery', key: /^P#\S* DELIVERY#/, version: DELIVERY_SCHEMA_VERSION, schema: deliveryItem },
  {
    kind: 'observe request',
    key: /^P#\S* OBSERVE#/,
    version: OBSERVE_REQUEST_SCHEMA_VERSION,
    schema: observeRequestItem,
  },
  { kind: 'hook', key: /^P#\S* HOOK#/, version: HOOK_SCHEMA_VERSION, schema: hookItem },
  { kind: 'hook token', key: /^HOOK#/, version: HOOK_SCHEMA_VERSION, schema: hookTokenItem },
  { kind: 'issued kubeconfig', key: /^P#\S* ISSUED#/, version: ISSUED_SCHEMA_VERSION, schema: issuedItem },
  { kind: 'leftover', key: /^P#\S* LEFT#/, version: LEFTOVER_SCHEMA_VERSION, schema: leftoverItem },
  { kind: 'credential', key: /^P#\S* CRED#/, version: CREDENTIAL_SCHEMA_VERSION, schema: credentialItem },
  { kind: 'data key', key: /^P#\S* DATAKEY#/, version: DATA_KEY_SCHEMA_VERSION, schema: dataKeyItem },
  { kind: 'idempotency', key: /^P#\S* IDEM#/, version: IDEMPOTENCY_SCHEMA_VERSION, schema: idempotencyItem },
  {
    kind: 'application credential',
    key: /^IDENTITY#APPCRED#/,
    version: APPLICATION_CREDENTIAL_SCHEMA_VERSION,
    schema: applicationCredentialItem,
  },
]

/** The schema of an item by its keys; undefined for one that is keys only. */
export const schemaOf = ({ pk, sk }: { pk: string; sk: string }): ItemSchema | undefined =>
  ITEM_SCHEMAS.find(({ key }) => key.test(`${pk} ${sk}`))
