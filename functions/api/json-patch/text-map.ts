import { InvalidRequest } from '../../core/errors.ts'
import { quote } from '../../core/values/wording.ts'
import type { PatchOperation } from './patch-operation.ts'
import { textMapValue, textOfScalar } from './typed-value.ts'

export type TextMap = Readonly<Record<string, string>>

const applyWhole = (map: TextMap | null, operation: PatchOperation): TextMap | null => {
  const { op, attribute } = operation
  if (op === 'remove') return null
  if (op === 'replace' || map === null) return textMapValue(operation)
  throw new InvalidRequest(
    `"/${attribute}" is set already: use "replace", or add single keys like ${quote(`/${attribute}/key`)}.`,
  )
}

const applyKey = (map: TextMap, operation: PatchOperation): TextMap => {
  const { op, path, attribute, rest } = operation
  const [key = '', ...deeper] = rest
  if (deeper.length > 0 || key === '__proto__') {
    throw new InvalidRequest(
      `There can be no ${quote(path)}: ${quote(attribute)} has texts as values. Write "/" in a key as "~1".`,
    )
  }
  if (op !== 'add' && !Object.hasOwn(map, key)) {
    const remedy = op === 'replace' ? ' Use "add", which sets it, too.' : ''
    throw new InvalidRequest(`${op} ${quote(path)} is not possible: ${quote(attribute)} has no such key.${remedy}`)
  }
  if (op !== 'remove') return { ...map, [key]: textOfScalar(operation) }
  return Object.fromEntries(Object.entries(map).filter(([other]) => other !== key))
}

/**
 * A map of texts after one operation on it or on one of its keys (magnum-rest.md 9.1): `replace` takes an object or a literal as text,
 * `add` of a key sets or overwrites. Null is a map that was removed, and counts as empty.
 *
 * @throws InvalidRequest
 */
export const applyToTextMap = (map: TextMap | null, operation: PatchOperation): TextMap | null =>
  operation.rest.length === 0 ? applyWhole(map, operation) : applyKey(map ?? {}, operation)
