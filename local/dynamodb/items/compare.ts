import { orderedNumber } from './number.ts'
import { type Item, own, typeOf, type Value } from './value.ts'

/** Bytes of a text, number or binary value that sort as DynamoDB sorts the values; undefined for other types. */
export const orderedBytes = (value: Value): Buffer | undefined => {
  if (value.S !== undefined) return Buffer.from(value.S)
  if (value.N !== undefined) return orderedNumber(value.N)
  return value.B === undefined ? undefined : Buffer.from(value.B, 'base64')
}

/** Below, at or above zero; undefined when the two can't be compared. */
export const compareValues = (left: Value, right: Value): number | undefined => {
  if (typeOf(left) !== typeOf(right)) return undefined
  const [one, other] = [orderedBytes(left), orderedBytes(right)]
  return one && other ? Buffer.compare(one, other) : undefined
}

const equalSets = (left: readonly string[], right: readonly string[]): boolean => {
  const members = new Set(left)
  return left.length === right.length && right.every((member) => members.has(member))
}

const equalLists = (left: readonly Value[], right: readonly Value[]): boolean =>
  left.length === right.length && left.every((member, index) => equalValues(member, right[index] as Value))

/** True when both have the same attributes with the same values. Both are in normal form. */
export const equalItems = (left: Item, right: Item): boolean => {
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => {
    const other = own(right, name)
    return other !== undefined && equalValues(left[name] as Value, other)
  })
}

/** True for the same type and value; members of sets have no order. */
export const equalValues = (left: Value, right: Value): boolean => {
  const type = typeOf(left)
  if (type !== typeOf(right)) return false
  if (left.L && right.L) return equalLists(left.L, right.L)
  if (left.M && right.M) return equalItems(left.M, right.M)
  const [one, other] = [left[type], right[type]]
  return Array.isArray(one) && Array.isArray(other) ? equalSets(one as string[], other as string[]) : one === other
}
