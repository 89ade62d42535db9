import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { applyToTextMap, type TextMap } from '../json-patch/text-map.ts'
import { textValue } from '../json-patch/typed-value.ts'

/** Of a single key only text is taken: a property that a driver reads as a number is still written as text (magnum-rest.md 8.2). */
const applyOne = (before: TextMap, operation: PatchOperation): TextMap => {
  if (operation.rest.length > 0 && operation.op !== 'remove') textValue(operation)
  return applyToTextMap(before, operation) ?? {}
}

/** The properties after the operations, one after the other (magnum-rest.md 8.3, 9.1). @throws InvalidRequest */
export const applyProperties = (properties: TextMap, operations: readonly PatchOperation[]): TextMap =>
  operations.reduce(applyOne, properties)
