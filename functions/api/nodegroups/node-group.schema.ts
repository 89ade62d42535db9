import * as z from 'zod'
import type { GroupSettings } from '../../core/cluster/change-node-group.ts'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { MASTER_ROLE, type NodeGroup } from '../../core/cluster/node-group.ts'
import type { GivenTaint } from '../../core/cluster/node-rules.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { PatchName } from '../../core/values/attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { otherAttributes, patchable, patchFields, requestFields } from '../attributes.ts'
import { parseAttributes, parseWith } from '../body/attributes.ts'
import { optional, sizeNote, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import {
  type PatchOperation,
  parsePatch,
  patchSchema,
  requireChangeable,
  requireNotInternal,
} from '../json-patch/patch-operation.ts'
import { readLiteral } from '../json-patch/python-literal.ts'
import { applyToTextMap, integerValue, requireWhole } from '../json-patch/values.ts'
import type { BodySchema } from '../route.ts'

const TAINTS_RULE = 'must be a list of taints like {"key": "gpu", "value": "yes", "effect": "NoSchedule"}'

const taintText = optional(z.string({ error: 'must be text' }))

/** Taints by their shape only: what Kubernetes says of keys, values and effects is 409 and comes later. */
const taintsField = z
  .array(
    z.strictObject(
      { key: taintText, value: taintText, effect: taintText },
      {
        error: ({ code }) => (code === 'unrecognized_keys' ? 'may have "key", "value" and "effect" only' : TAINTS_RULE),
      },
    ),
    { error: TAINTS_RULE },
  )
  .meta({ description: sizeNote('node_taints') })

/** The same as the value of a patch. */
const taintsValue = z.object({ node_taints: taintsField })

const nodeLabelsField = z
  .record(z.string(), z.string({ error: 'must be text' }), { error: 'must be an object of label names and texts' })
  .meta({ description: sizeNote('node_labels') })

/** However it is written: a role that reads like that of the masters is taken for it. */
const roleField = textField().refine((role) => role.trim().toLowerCase() !== MASTER_ROLE, {
  error: `must not be "${MASTER_ROLE}": a cluster has one group of masters, which is made with it`,
})

const OWN = {
  name: z.preprocess((value) => value ?? '', textField()),
  role: optional(roleField),
  node_labels: optional(nodeLabelsField),
  node_taints: optional(taintsField),
}

/** Attributes of `POST /v1/clusters/{cluster}/nodegroups` (magnum-rest.md section 6). */
const createNodeGroup = z.object(requestFields(NODE_GROUP_ATTRIBUTES, OWN))
export type CreateNodeGroup = z.output<typeof createNodeGroup>

/** What a patch may set, as a plain object. */
const nodeGroupChange = z.object(patchFields(NODE_GROUP_ATTRIBUTES, OWN))

const OTHERS = otherAttributes(NODE_GROUP_ATTRIBUTES)

export const createNodeGroupBody: BodySchema<CreateNodeGroup> = {
  schema: createNodeGroup,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createNodeGroup, body, OTHERS),
}

const EXAMPLE = '{"op": "replace", "path": "/max_node_count", "value": 5}'

const CHANGEABLE = patchable(NODE_GROUP_ATTRIBUTES)

/** A patch of a node group: a list of operations, or the attributes as a plain object (magnum-rest.md 13.10). */
export const nodeGroupPatchBody: BodySchema<PatchOperation[]> = {
  schema: patchSchema.or(nodeGroupChange),
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true, nullRemoves: true })
    requireNotInternal(operations)
    return operations
  },
}

/** `add` is for what is unset (magnum-rest.md 9.1). @throws InvalidRequest */
const requireUnset = ({ op, path }: PatchOperation, isSet: boolean): void => {
  if (op === 'add' && isSet) throw new InvalidRequest(`${quote(path)} is set already: use "replace" instead of "add".`)
}

/** A list, or text with a Python or JSON list in it. @throws InvalidRequest */
const taintsIn = ({ value }: PatchOperation): GivenTaint[] => {
  const list = typeof value === 'string' ? readLiteral(value) : value
  return parseWith(taintsValue, { node_taints: list ?? null }).node_taints
}

const isRemove = ({ op }: PatchOperation): boolean => op === 'remove'

type Apply = (before: GroupSettings, operation: PatchOperation) => Partial<GroupSettings>

const APPLY: Readonly<Record<PatchName<typeof NODE_GROUP_ATTRIBUTES>, Apply>> = {
  min_node_count: (_, operation) => {
    requireUnset(operation, true)
    return { minNodeCount: isRemove(operation) ? 0 : integerValue(operation, 0) }
  },
  max_node_count: ({ maxNodeCount }, operation) => {
    requireUnset(operation, maxNodeCount !== null)
    return { maxNodeCount: isRemove(operation) ? null : integerValue(operation, 0) }
  },
  node_labels: ({ nodeLabels }, operation) => {
    const isEmpty = Object.keys(nodeLabels).length === 0
    return { nodeLabels: applyToTextMap(isEmpty ? null : nodeLabels, operation) ?? {} }
  },
  node_taints: ({ nodeTaints }, operation) => {
    requireUnset(operation, nodeTaints.length > 0)
    return { nodeTaints: isRemove(operation) ? [] : taintsIn(operation) }
  },
}

/**
 * A node group's attributes after all operations: only the end state counts, so their order does not matter to the limits.
 *
 * @throws InvalidRequest
 */
export const settingsAfter = (group: NodeGroup, operations: readonly PatchOperation[]): GroupSettings => {
  requireChangeable(operations, CHANGEABLE)
  const apply: Readonly<Record<string, Apply>> = APPLY
  let after: GroupSettings = group
  for (const operation of operations) {
    if (operation.attribute !== 'node_labels') requireWhole(operation)
    after = { ...after, ...apply[operation.attribute]?.(after, operation) }
  }
  return after
}
