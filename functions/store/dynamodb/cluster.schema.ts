import * as z from 'zod'
import {
  condition,
  count,
  driverId,
  jsonObject,
  operation,
  schemaVersion,
  sortedSet,
  status,
  text,
  textMap,
  textOrNull,
} from './item.schema.ts'

/** A change of a cluster as stored: see `ClusterTask`. */
const clusterTask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('credential') }),
  z.object({ kind: z.literal('resize'), nodeGroupId: text, nodeCount: count, nodesToRemove: z.array(text) }),
  z.object({ kind: z.literal('node-group-create'), nodeGroupId: text }),
  z.object({ kind: z.literal('node-group-update'), nodeGroupId: text, nodeCount: count.nullable() }),
  z.object({ kind: z.literal('node-group-delete'), nodeGroupId: text }),
  z.object({
    kind: z.literal('upgrade'),
    templateId: text,
    templateProjectId: text,
    nodeGroupId: textOrNull,
    maxBatchSize: count,
  }),
  z.object({ kind: z.literal('rotate-authority') }),
  z.object({ kind: z.literal('rotate-credential') }),
])

const queuedTask = z.object({ id: text, task: clusterTask, requestedAt: text })

export const CLUSTER_SCHEMA_VERSION = 3

const observation = z.object({
  observedAt: text,
  healthStatus: z.enum(['HEALTHY', 'UNHEALTHY', 'UNKNOWN']),
  healthReason: textMap,
  version: textOrNull,
  nodeCount: count,
  masterCount: count,
  unhealthySince: text.exactOptional(),
  isOther: z.literal(true).exactOptional(),
})

const magnum = z.object({
  clusterTemplateId: text,
  templateProjectId: textOrNull.default(null),
  templateLabels: textMap.default({}),
  tlsDisabled: z.boolean().default(false),
  keypair: textOrNull,
  dockerVolumeSize: z.number().nullable(),
  labels: textMap,
  masterFlavorId: textOrNull,
  flavorId: textOrNull,
  createTimeout: z.number().nullable(),
  discoveryUrl: textOrNull,
  fixedNetwork: textOrNull,
  fixedSubnet: textOrNull,
  floatingIpEnabled: z.boolean().nullable(),
  masterLbEnabled: z.boolean().nullable(),
})

const nodes = z.object({
  nodeCount: count,
  masterCount: count,
  nodeAddresses: z.array(text),
  masterAddresses: z.array(text),
})

const managementRole = z.object({ driver: driverId, options: textMap, isDefault: z.boolean() })

/**
 * A cluster as stored. Version 1 had no tasks, nodes or template, version 2 no management clusters, cloud and integrity; a
 * change of one adds what it sets and leaves its version.
 */
export const clusterItem = z
  .object({
    schemaVersion: schemaVersion(CLUSTER_SCHEMA_VERSION),
    id: text,
    projectId: text,
    userId: text,
    name: text,
    driver: driverId,
    revision: count,
    status,
    statusReason: textOrNull,
    operation: operation(['create', 'update', 'delete']).nullable(),
    task: clusterTask.nullable().default(null),
    queue: z.array(queuedTask).default([]),
    nodes: nodes.nullable().default(null),
    conditions: z.array(condition),
    endpoint: z
      .object({
        server: text,
        serverForPeers: textOrNull,
        caPem: textOrNull,
        tlsServerName: textOrNull,
        tlsVerify: z.boolean(),
      })
      .nullable(),
    identity: z.object({ uid: text, user: text }).nullable(),
    magnum,
    driverState: jsonObject,
    createdAt: text,
    updatedAt: textOrNull,
    observation: observation.nullable(),
    uses: sortedSet(z.templateLiteral([z.enum(['host', 'member']), ':', z.string()])),
    management: managementRole.nullable().exactOptional(),
    madeThrough: z.object({ projectId: text, id: text }).nullable().exactOptional(),
    cloud: z.object({ userId: text, renewAfter: text }).nullable().exactOptional(),
    told: textMap.exactOptional(),
    integrity: text.exactOptional(),
  })
  .transform(({ schemaVersion: _, ...cluster }) => cluster)
