import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { patchable } from '../attributes.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { patchSchema } from '../json-patch/patch.schema.ts'
import { type PatchOperation, parsePatch, requireChangeable } from '../json-patch/patch-operation.ts'
import type { BodySchema } from '../route.ts'
import { nodeGroupChange } from './node-group.schema.ts'

const EXAMPLE = '{"op": "replace", "path": "/max_node_count", "value": 5}'

const CHANGEABLE = patchable(NODE_GROUP_ATTRIBUTES)

/** A patch of a node group: a list of operations, or the attributes as a plain object (magnum-rest.md 13.10). */
export const nodeGroupPatchBody: BodySchema<PatchOperation[]> = {
  schema: patchSchema.or(nodeGroupChange),
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true, nullRemoves: true })
    requireChangeable(operations, CHANGEABLE)
    return operations
  },
}
