import { isDeepStrictEqual } from 'node:util'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { requireSize } from '../../core/require-size.ts'
import type { Attributes, AttributeValues } from '../../core/values/attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { patchable } from '../attributes.ts'
import { parseWith } from '../body/parse-with.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { patchSchema } from '../json-patch/patch.schema.ts'
import { type PatchOperation, parsePatch, requireChangeable } from '../json-patch/patch-operation.ts'
import { applyToTextMap } from '../json-patch/text-map.ts'
import { requireWhole } from '../json-patch/typed-value.ts'
import type { BodySchema } from '../route.ts'
import { templateChange } from './template.schema.ts'
import { overlay, requireConsistent, type TemplateAttributes } from './template-attributes.ts'

const ATTRIBUTES: Attributes = TEMPLATE_ATTRIBUTES

const CHANGEABLE = patchable(ATTRIBUTES)

const EXAMPLE = '{"op": "replace", "path": "/name", "value": "new-name"}'

/** A patch as a list of operations, or as the plain object that openstacksdk sends (magnum-rest.md 13.10). */
export const templatePatchBody: BodySchema<PatchOperation[]> = {
  schema: patchSchema.or(templateChange),
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true, nullRemoves: true })
    requireChangeable(operations, CHANGEABLE)
    return operations
  },
}

/** Booleans get their defaults back; everything else becomes null. */
const removed = (before: TemplateAttributes, { path, attribute: name }: PatchOperation): TemplateAttributes => {
  const attribute = ATTRIBUTES[name]
  if (attribute?.patch !== 'remove') {
    throw new InvalidRequest(`${quote(path)} can't be removed. Use "replace" to give it another value.`)
  }
  return { ...before, [name]: attribute.type === 'boolean' ? (attribute.default ?? null) : null }
}

const isSet = (attributes: AttributeValues, attribute: string): boolean => attributes[attribute] !== null

const withLabels = (before: TemplateAttributes, operation: PatchOperation): TemplateAttributes => {
  const labels = applyToTextMap(before.labels, operation)
  return labels === null ? { ...before, labels } : overlay(before, parseWith(templateChange, { labels }))
}

const applyOperation = (before: TemplateAttributes, operation: PatchOperation): TemplateAttributes => {
  const { op, path, attribute, value } = operation
  if (attribute === 'labels') return withLabels(before, operation)
  requireWhole(operation)
  if (op === 'remove') return removed(before, operation)
  if (op === 'add' && isSet(before, attribute)) {
    throw new InvalidRequest(`${quote(path)} is set already: use "replace" instead of "add".`)
  }
  if (value === '') throw new InvalidRequest(`The value of ${quote(path)} is empty. To unset it, use "remove".`)
  return overlay(before, parseWith(templateChange, { [attribute]: value }))
}

/**
 * Attributes after the operations, one after the other (magnum-rest.md 9.1).
 *
 * @throws InvalidRequest, RequestTooLarge
 */
export const applyTemplatePatch = (
  before: TemplateAttributes,
  operations: readonly PatchOperation[],
): TemplateAttributes => {
  const after = operations.reduce(applyOperation, before)
  requireConsistent(after)
  requireSize('labels', after.labels ?? {}, { before: before.labels ?? {} })
  return after
}

/** Attributes that really differ; labels that were removed are the same as none. */
export const changedAttributes = (before: TemplateAttributes, after: TemplateAttributes): string[] => {
  const now: AttributeValues = { ...after, labels: after.labels ?? {} }
  return Object.entries(before).flatMap(([name, value]) => (isDeepStrictEqual(value, now[name]) ? [] : [name]))
}
