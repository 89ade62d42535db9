import { invalid } from '../dynamo-error.ts'
import { orderedBytes } from '../items/compare.ts'
import type { KeyAttribute, KeySchema } from '../items/keys.ts'
import { typeOf } from '../items/value.ts'
import { type Condition, type Operand, parseCondition } from './condition.ts'
import type { Placeholders } from './placeholders.ts'

/** What a query asks for: one partition, and of it sort keys from `low` on and below `high`. */
export type KeyRange = { hash: Buffer; low: Buffer; high: Buffer | undefined }

const wrong = (what: string): Error => invalid(`Invalid KeyConditionExpression: ${what}`)
const notSupported = (): Error => invalid('Query key condition not supported')

const flatten = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? [...flatten(condition.left), ...flatten(condition.right)] : [condition]

const subject = (condition: Condition): Operand | undefined => {
  if (condition.kind === 'compare') return condition.left
  return condition.kind === 'between' || condition.kind === 'begins' ? condition.of : undefined
}

const isAbout = (condition: Condition, { name }: KeyAttribute): boolean => {
  const operand = subject(condition)
  return operand?.kind === 'path' && operand.path.length === 1 && operand.path[0] === name
}

/** @throws DynamoError when it is no value of the key's type */
const keyValue = ({ name, type }: KeyAttribute, operand: Operand): Buffer => {
  if (operand.kind !== 'value') throw wrong('Key conditions compare keys with values;')
  const isEmpty = operand.value.S === '' || operand.value.B === ''
  const bytes = typeOf(operand.value) === type ? orderedBytes(operand.value) : undefined
  if (bytes === undefined) {
    throw invalid('One or more parameter values were invalid: Condition parameter type does not match schema type')
  }
  if (!isEmpty) return bytes
  throw invalid(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
  )
}

/** The next larger bytes. */
const after = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from([0])])

/** The first bytes that do not begin so any more; undefined: there are none. */
const afterPrefix = (prefix: Buffer): Buffer | undefined => {
  const last = prefix.findLastIndex((byte) => byte !== 0xff)
  if (last < 0) return undefined
  const next = Buffer.from(prefix.subarray(0, last + 1))
  next[last] = (next[last] as number) + 1
  return next
}

type Bounds = Omit<KeyRange, 'hash'>

const NOTHING = Buffer.alloc(0)

const comparedBounds = (comparator: string, bytes: Buffer): Bounds => {
  switch (comparator) {
    case '=':
      return { low: bytes, high: after(bytes) }
    case '<':
      return { low: NOTHING, high: bytes }
    case '<=':
      return { low: NOTHING, high: after(bytes) }
    case '>':
      return { low: after(bytes), high: undefined }
    case '>=':
      return { low: bytes, high: undefined }
    default:
      throw wrong(`Unsupported operator in KeyConditionExpression: ${comparator}`)
  }
}

const boundsOf = (range: KeyAttribute, condition: Condition): Bounds => {
  if (condition.kind === 'compare') return comparedBounds(condition.comparator, keyValue(range, condition.right))
  if (condition.kind === 'between') {
    return { low: keyValue(range, condition.low), high: after(keyValue(range, condition.high)) }
  }
  if (condition.kind !== 'begins' || range.type === 'N') throw notSupported()
  const prefix = keyValue(range, condition.part)
  return { low: prefix, high: afterPrefix(prefix) }
}

/** @throws DynamoError for a condition that is not about one partition, or not about the keys alone */
export const parseKeyCondition = (text: string, placeholders: Placeholders, keys: KeySchema): KeyRange => {
  const parts = flatten(parseCondition('KeyConditionExpression', text, placeholders))
  const ofHash = parts.find((part) => isAbout(part, keys.hash))
  if (ofHash === undefined) throw invalid(`Query condition missed key schema element: ${keys.hash.name}`)
  if (ofHash.kind !== 'compare' || ofHash.comparator !== '=') throw notSupported()
  const hash = keyValue(keys.hash, ofHash.right)
  const [ofRange, ...more] = parts.filter((part) => part !== ofHash)
  if (ofRange === undefined) return { hash, low: NOTHING, high: undefined }
  if (more.length > 0) throw wrong('Conditions can be of length 1 or 2 only')
  if (keys.range === undefined || !isAbout(ofRange, keys.range)) {
    throw keys.range === undefined
      ? notSupported()
      : invalid(`Query condition missed key schema element: ${keys.range.name}`)
  }
  return { hash, ...boundsOf(keys.range, ofRange) }
}
