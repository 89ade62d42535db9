import * as z from 'zod'
import { CLUSTER_TASKS } from '../../core/cluster/cluster-task.ts'
import { type NodeGroup, type NodeGroupChange, TAINT_EFFECTS } from '../../core/cluster/node-group.ts'
import type { NodeGroupStore } from '../cluster.store.ts'
import { type Action, alreadyExists, asWrite, revisionConflict } from './action.ts'
import { count, parseItem, schemaVersion, status, text, textMap, textOrNull } from './item.schema.ts'
import { nodeGroupKey, nodeGroupPrefix, projectPartition } from './keys.ts'
import { getItem, type Item, queryPrefix } from './read.ts'
import type { StoreContext } from './request.ts'
import { updateExpression } from './updates.ts'

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

const parse = (item: Item): NodeGroup => parseItem(nodeGroupItem, item)

const insert = (group: NodeGroup): Action => ({
  type: 'put',
  item: { ...nodeGroupKey(group), schemaVersion: NODE_GROUP_SCHEMA_VERSION, ...group },
  condition: 'attribute_not_exists(#pk)',
  onConflict: () => alreadyExists('node group', group.id),
})

const change = (read: NodeGroup, fields: NodeGroupChange): Action => {
  const { text, values } = updateExpression({ set: { ...fields, revision: read.revision + 1 } })
  return {
    type: 'update',
    key: nodeGroupKey(read),
    update: text,
    condition: '#revision = :read',
    values: { ...values, ':read': read.revision },
    onConflict: () => revisionConflict('node group', read.id, read.revision),
  }
}

const remove = (read: NodeGroup): Action => ({
  type: 'delete',
  key: nodeGroupKey(read),
  condition: '#revision = :read',
  values: { ':read': read.revision },
  onConflict: () => revisionConflict('node group', read.id, read.revision),
})

/** Node groups in DynamoDB. */
export const dynamoNodeGroupStore = (context: StoreContext): NodeGroupStore => ({
  get: async (key) => {
    const item = await getItem(context, nodeGroupKey(key))
    return item === undefined ? undefined : parse(item)
  },
  listOf: async ({ projectId, id }) => {
    const groups: NodeGroup[] = []
    const items = queryPrefix(context, { pk: projectPartition(projectId), prefix: nodeGroupPrefix(id) })
    for await (const item of items) groups.push(parse(item))
    return groups
  },
  insert: (group) => asWrite(insert(group)),
  change: (read, fields) => asWrite(change(read, fields)),
  remove: (read) => asWrite(remove(read)),
})
