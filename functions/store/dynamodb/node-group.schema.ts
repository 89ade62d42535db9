import * as z from 'zod'
import { CLUSTER_TASKS } from '../../core/cluster/cluster-task.ts'
import { TAINT_EFFECTS } from '../../core/cluster/node-group.ts'
import { count, schemaVersion, status, text, textMap, textOrNull } from './item.schema.ts'

export const NODE_GROUP_SCHEMA_VERSION = 2

/** A node group as stored. Version 1 had no `failedTask`. */
export const nodeGroupItem = z
  .object({
    schemaVersion: schemaVersion(NODE_GROUP_SCHEMA_VERSION),
    id: text,
    projectId: text,
    clusterId: text,
    number: count,
    name: text,
    role: text,
    isDefault: z.boolean(),
    nodeCount: count,
    reachedCount: count,
    minNodeCount: count,
    maxNodeCount: count.nullable(),
    flavorId: textOrNull,
    imageId: textOrNull,
    labels: textMap,
    dockerVolumeSize: z.number().nullable(),
    nodeLabels: textMap,
    nodeTaints: z.array(z.object({ key: text, value: text.exactOptional(), effect: z.enum(TAINT_EFFECTS) })),
    nodeAddresses: z.array(text),
    status,
    statusReason: textOrNull,
    failedTask: z.enum(CLUSTER_TASKS).nullable().default(null),
    version: textOrNull,
    revision: count,
    createdAt: text,
    updatedAt: textOrNull,
  })
  .transform(({ schemaVersion: _, ...group }) => group)
