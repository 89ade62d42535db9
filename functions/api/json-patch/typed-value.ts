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

/** An integer; text is refused, as Magnum does in PATCH. @throws InvalidRequest */
export const integerValue = (operation: PatchOperation, min: number): number => {
  const { value } = operation
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value < 2 ** 31) return value
  throw fault(operation, `an integer from ${min} to ${2 ** 31 - 1}, not text`)
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
export const textOfScalar = (operation: PatchOperation): string => {
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
