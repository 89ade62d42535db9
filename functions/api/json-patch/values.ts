import { InvalidRequest } from '../../core/errors.ts'
import type { Json } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import type { PatchOperation } from './patch-operation.ts'
import { readLiteral } from './python-literal.ts'

const fault = ({ op, path }: PatchOperation, rule: string): InvalidRequest =>
  new InvalidRequest(`The value of ${op} ${quote(path)} must be ${rule}.`)

/** A patch sets attributes only, not what is inside: `/node_count/x` is an error. @throws InvalidRequest */
export const requireWhole = ({ path, attribute, rest }: PatchOperation): void => {
  if (rest.length === 0) return
  throw new InvalidRequest(`${quote(path)} leads into ${quote(attribute)}, which can only be changed as a whole.`)
}

/** An integer, also as text, as Horizon's form sends it. @throws InvalidRequest */
export const integerValue = (operation: PatchOperation, min: number): number => {
  const { value } = operation
  const number = typeof value === 'string' && /^[0-9]{1,10}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number < 2 ** 31) return number
  throw fault(operation, `an integer from ${min} to ${2 ** 31 - 1}`)
}

/** @throws InvalidRequest */
export const textValue = (operation: PatchOperation): string => {
  if (typeof operation.value === 'string') return operation.value
  throw fault(operation, 'text')
}

/** @throws InvalidRequest */
export const oneOf = <T extends string>(operation: PatchOperation, allowed: readonly T[]): T => {
  const found = allowed.find((word) => word === operation.value)
  if (found !== undefined) return found
  throw fault(operation, `one of ${allowed.map((word) => `"${word}"`).join(', ')}`)
}

const asText = (value: Json): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'number' ? String(value) : undefined
}

/** Text, or a number or boolean as text in Python's spelling: what is set in a map of texts. @throws InvalidRequest */
const textOfScalar = (operation: PatchOperation): string => {
  const text = asText(operation.value ?? null)
  if (text?.isWellFormed()) return text
  throw fault(operation, 'text, a number or a boolean')
}

/** A map of texts: an object, or text with a Python or JSON dictionary in it. @throws InvalidRequest */
export const textMapValue = (operation: PatchOperation): Record<string, string> => {
  const { value } = operation
  const map = typeof value === 'string' ? readLiteral(value) : value
  const rule = "a dictionary of texts: a JSON object, or text like \"{'key': 'value'}\""
  if (typeof map !== 'object' || map === null || Array.isArray(map)) throw fault(operation, rule)
  const entries = Object.entries(map).map(([key, inner]): [string, string] => {
    const text = asText(inner)
    if (text === undefined || !(key + text).isWellFormed() || key === '__proto__') throw fault(operation, rule)
    return [key, text]
  })
  return Object.fromEntries(entries)
}

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
