import type { GroupSettings } from '../../core/cluster/change-node-group.ts'
import type { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { GivenTaint } from '../../core/cluster/node-taints.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { PatchName } from '../../core/values/attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { parseWith } from '../body/parse-with.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { readLiteral } from '../json-patch/python-literal.ts'
import { applyToTextMap } from '../json-patch/text-map.ts'
import { integerValue, requireWhole } from '../json-patch/typed-value.ts'
import { taintsValue } from './node-group.schema.ts'

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
  const apply: Readonly<Record<string, Apply>> = APPLY
  let after: GroupSettings = group
  for (const operation of operations) {
    if (operation.attribute !== 'node_labels') requireWhole(operation)
    after = { ...after, ...apply[operation.attribute]?.(after, operation) }
  }
  return after
}
