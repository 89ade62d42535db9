import { InvalidRequest } from '../errors.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { textMapValue, textValue } from '../json-patch/typed-value.ts'
import { quote } from '../quote.ts'

type Properties = Readonly<Record<string, string>>

const applyWhole = (operation: PatchOperation): Properties => {
  if (operation.op === 'remove') return {}
  if (operation.op === 'replace') return textMapValue(operation)
  throw new InvalidRequest('"/properties" is set already: use "replace", or add single keys like "/properties/key".')
}

const applyKey = (properties: Properties, operation: PatchOperation): Properties => {
  const { op, path, rest } = operation
  const [key = '', ...deeper] = rest
  if (deeper.length > 0 || key === '__proto__') {
    throw new InvalidRequest(
      `There can be no ${quote(path)}: "properties" has texts as values. Write "/" in a key as "~1".`,
    )
  }
  if (op !== 'add' && !Object.hasOwn(properties, key)) {
    throw new InvalidRequest(`${op} ${quote(path)} is not possible: there is no such property.`)
  }
  if (op !== 'remove') return { ...properties, [key]: textValue(operation) }
  return Object.fromEntries(Object.entries(properties).filter(([other]) => other !== key))
}

/** The properties after the operations, one after the other (magnum-rest.md 8.3, 9.1). @throws InvalidRequest */
export const applyProperties = (properties: Properties, operations: readonly PatchOperation[]): Properties =>
  operations.reduce(
    (before, operation) => (operation.rest.length === 0 ? applyWhole(operation) : applyKey(before, operation)),
    properties,
  )
