import * as z from 'zod'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { patchSchema } from '../json-patch/patch.schema.ts'
import { type PatchOperation, parsePatch, requireChangeable } from '../json-patch/patch-operation.ts'
import type { BodySchema } from '../route.ts'
import { createNodeGroup } from './node-group.schema.ts'
import { CHANGEABLE } from './node-group-patch.ts'

const EXAMPLE = '{"op": "replace", "path": "/max_node_count", "value": 5}'

const attributes = createNodeGroup.pick({
  min_node_count: true,
  max_node_count: true,
  node_labels: true,
  node_taints: true,
})

/** A patch of a node group: a list of operations, or the attributes as a plain object (magnum-rest.md 13.10). */
export const nodeGroupPatchBody: BodySchema<PatchOperation[]> = {
  schema: z.union([patchSchema, attributes]),
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true, nullRemoves: true })
    requireChangeable(operations, CHANGEABLE)
    return operations
  },
}
