import { compareValues, equalValues } from '../items/compare.ts'
import { type Item, typeOf, type Value } from '../items/value.ts'
import type { Comparator, Condition, Operand } from './condition.ts'
import { resolve } from './path.ts'

/** What `size()` tells: characters, bytes or members; undefined for types that have no size. */
const lengthOf = (value: Value): number | undefined => {
  if (value.S !== undefined) return [...value.S].length
  if (value.B !== undefined) return Buffer.byteLength(value.B, 'base64')
  if (value.M) return Object.keys(value.M).length
  return (value.L ?? value.SS ?? value.NS ?? value.BS)?.length
}

const operandValue = (operand: Operand, item: Item): Value | undefined => {
  if (operand.kind === 'value') return operand.value
  const found = resolve(item, operand.path)
  if (operand.kind === 'path' || found === undefined) return found
  const length = lengthOf(found)
  return length === undefined ? undefined : { N: String(length) }
}

const ORDERS: Readonly<Record<Exclude<Comparator, '=' | '<>'>, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

const compares = (comparator: Comparator, left: Value | undefined, right: Value | undefined): boolean => {
  if (comparator === '<>') return left === undefined || right === undefined || !equalValues(left, right)
  if (left === undefined || right === undefined) return false
  if (comparator === '=') return equalValues(left, right)
  const order = compareValues(left, right)
  return order !== undefined && ORDERS[comparator](order)
}

const begins = (value: Value, part: Value): boolean => {
  if (value.S !== undefined && part.S !== undefined) return value.S.startsWith(part.S)
  if (value.B === undefined || part.B === undefined) return false
  const prefix = Buffer.from(part.B, 'base64')
  return Buffer.from(value.B, 'base64').subarray(0, prefix.length).equals(prefix)
}

const contains = (value: Value, part: Value): boolean => {
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S)
  if (value.B !== undefined) {
    return part.B !== undefined && Buffer.from(value.B, 'base64').includes(Buffer.from(part.B, 'base64'))
  }
  if (value.L) return value.L.some((member) => equalValues(member, part))
  const members = value[`${typeOf(part)}S` as 'SS' | 'NS' | 'BS']
  return members?.includes((part.S ?? part.N ?? part.B) as string) ?? false
}

const holdsOf: {
  [kind in Condition['kind']]: (condition: Extract<Condition, { kind: kind }>, item: Item) => boolean
} = {
  and: ({ left, right }, item) => holds(left, item) && holds(right, item),
  or: ({ left, right }, item) => holds(left, item) || holds(right, item),
  not: ({ of }, item) => !holds(of, item),
  compare: ({ comparator, left, right }, item) =>
    compares(comparator, operandValue(left, item), operandValue(right, item)),
  between: ({ of, low, high }, item) => {
    const value = operandValue(of, item)
    return compares('>=', value, operandValue(low, item)) && compares('<=', value, operandValue(high, item))
  },
  in: ({ of, among }, item) => {
    const value = operandValue(of, item)
    return among.some((operand) => compares('=', value, operandValue(operand, item)))
  },
  exists: ({ path, wanted }, item) => (resolve(item, path) !== undefined) === wanted,
  type: ({ path, type }, item) => {
    const value = resolve(item, path)
    return value !== undefined && typeOf(value) === type
  },
  begins: ({ of, part }, item) => {
    const [value, prefix] = [operandValue(of, item), operandValue(part, item)]
    return value !== undefined && prefix !== undefined && begins(value, prefix)
  },
  contains: ({ of, part }, item) => {
    const [value, wanted] = [operandValue(of, item), operandValue(part, item)]
    return value !== undefined && wanted !== undefined && contains(value, wanted)
  },
}

/** True when the condition holds for the item; an absent item has no attributes. */
export const holds = (condition: Condition, item: Item): boolean =>
  (holdsOf[condition.kind] as (condition: Condition, item: Item) => boolean)(condition, item)
