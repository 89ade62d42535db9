import { invalid } from '../dynamo-error.ts'
import { normalizeNumber } from './number.ts'
import { emptyItem, type Item, type Value, type ValueType } from './value.ts'

/** Lists and maps in each other. */
const DEPTH_MAX = 32

const EMPTY_SETS: Readonly<Record<'SS' | 'NS' | 'BS', string>> = {
  SS: 'An string set  may not be empty',
  NS: 'An number set  may not be empty',
  BS: 'Binary sets should not be empty',
}

const isBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text

const checkBinary = (text: string): string => {
  if (!isBase64(text)) throw invalid('Invalid base64 encoding of a binary value')
  return text
}

const checkSet = (type: 'SS' | 'NS' | 'BS', members: readonly string[]): string[] => {
  if (members.length === 0) throw invalid(`One or more parameter values were invalid: ${EMPTY_SETS[type]}`)
  const normal = members.map((member) => {
    if (type === 'NS') return normalizeNumber(member)
    return type === 'BS' ? checkBinary(member) : member
  })
  if (new Set(normal).size < normal.length) {
    throw invalid(
      `One or more parameter values were invalid: Input collection [${members.join(', ')}] contains duplicates.`,
    )
  }
  return normal
}

type Checks = { [type in ValueType]-?: (content: never, depth: number) => NonNullable<Value[type]> }

const CHECKS: Checks = {
  S: (text: string) => text,
  N: (text: string) => normalizeNumber(text),
  B: (text: string) => checkBinary(text),
  BOOL: (truth: boolean) => truth,
  NULL: (isNull: boolean) => {
    if (isNull !== true)
      throw invalid('One or more parameter values were invalid: Null attribute value types must have the value of true')
    return true
  },
  SS: (members: string[]) => checkSet('SS', members),
  NS: (members: string[]) => checkSet('NS', members),
  BS: (members: string[]) => checkSet('BS', members),
  L: (values: Value[], depth) => values.map((value) => checkAt(value, depth + 1)),
  M: (item: Item, depth) => checkMembers(item, depth + 1),
}

const isValueType = (name: string): name is ValueType => Object.hasOwn(CHECKS, name)

const checkAt = (value: Value, depth: number): Value => {
  if (depth > DEPTH_MAX) throw invalid('Nesting Levels have exceeded supported limits')
  const [type, ...more] = Object.keys(value).filter(isValueType)
  if (type === undefined || more.length > 0) {
    throw invalid(
      type === undefined
        ? 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'
        : 'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    )
  }
  return { [type]: CHECKS[type](value[type] as never, depth) }
}

const checkMembers = (item: Item, depth: number): Item => {
  const normal = emptyItem()
  for (const [name, value] of Object.entries(item)) normal[name] = checkAt(value, depth)
  return normal
}

/** A value in its normal form: numbers without superfluous digits. @throws DynamoError for what DynamoDB does not store */
export const checkValue = (value: Value): Value => checkAt(value, 1)

/** The same for all attributes of an item. */
export const checkItem = (item: Item): Item => checkMembers(item, 1)
