import { invalid } from '../dynamo-error.ts'
import { numberSize } from './number.ts'
import type { Item, Value } from './value.ts'

/** DynamoDB's limit for an item, names and values, bytes. */
const ITEM_BYTES_MAX = 400 * 1024

/** Bytes that a list or map counts beside its members, and for each of them. */
const COLLECTION_BYTES = 3
const MEMBER_BYTES = 1

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

const binarySize = (base64: string): number => Buffer.byteLength(base64, 'base64')

const collectionSize = ({ L: list, M: map }: Value): number => {
  if (list) return COLLECTION_BYTES + sum(list.map((member) => MEMBER_BYTES + sizeOfValue(member)))
  return COLLECTION_BYTES + sum(Object.values(map ?? {}).map(() => MEMBER_BYTES)) + sizeOf(map ?? {})
}

const setSize = ({ SS: texts, NS: numbers, BS: binaries = [] }: Value): number => {
  if (texts) return sum(texts.map((text) => Buffer.byteLength(text)))
  return sum(numbers ? numbers.map(numberSize) : binaries.map(binarySize))
}

const sizeOfValue = (value: Value): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return numberSize(value.N)
  if (value.B !== undefined) return binarySize(value.B)
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1
  return value.L || value.M ? collectionSize(value) : setSize(value)
}

/** What DynamoDB counts an item as, bytes: names and values. */
export const sizeOf = (item: Item): number =>
  sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + sizeOfValue(value)))

/** @param how the beginning of DynamoDB's sentence: of a put, or of an update */
export const checkSize = (item: Item, how: 'Item size' | 'Item size to update'): number => {
  const size = sizeOf(item)
  if (size > ITEM_BYTES_MAX) throw invalid(`${how} has exceeded the maximum allowed size`)
  return size
}
