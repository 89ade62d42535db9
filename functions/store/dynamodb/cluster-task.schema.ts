import * as z from 'zod'
import { count, text, textOrNull } from './item.schema.ts'

/** A change of a cluster as stored: see `ClusterTask`. */
export const clusterTask = z.discriminatedUnion('kind', [
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

export const queuedTask = z.object({ id: text, task: clusterTask, requestedAt: text })
