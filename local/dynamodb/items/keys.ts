import { invalid } from '../dynamo-error.ts'
import { orderedBytes } from './compare.ts'
import { type Item, own, typeOf, type Value } from './value.ts'

export type KeyAttribute = { name: string; type: 'S' | 'N' | 'B' }

/** Keys of a table or an index. */
export type KeySchema = { hash: KeyAttribute; range?: KeyAttribute }

/** A key as bytes that sort as DynamoDB sorts keys; without a sort key `sort` is empty. */
export type KeyBytes = { hash: Buffer; sort: Buffer }

/** DynamoDB's limits, bytes. */
const HASH_BYTES_MAX = 2048
const SORT_BYTES_MAX = 1024

export const NO_BYTES = Buffer.alloc(0)

export const attributesOf = ({ hash, range }: KeySchema): KeyAttribute[] => (range ? [hash, range] : [hash])

const bytesOf = (value: Value): Buffer => {
  const bytes = orderedBytes(value)
  if (bytes === undefined) throw new TypeError('A key is a text, a number or binary.')
  return bytes
}

/** Bytes of a key that was checked. */
export const keyBytes = ({ hash, range }: KeySchema, item: Item): KeyBytes => ({
  hash: bytesOf(item[hash.name] as Value),
  sort: range ? bytesOf(item[range.name] as Value) : NO_BYTES,
})

const isEmpty = (value: Value): boolean => value.S === '' || value.B === ''

const requireSize = (schema: KeySchema, attribute: KeyAttribute, value: Value): void => {
  const isHash = attribute === schema.hash
  if (bytesOf(value).length <= (isHash ? HASH_BYTES_MAX : SORT_BYTES_MAX)) return
  throw invalid(
    isHash
      ? 'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes'
      : 'One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
  )
}

const requireKeyValue = (schema: KeySchema, attribute: KeyAttribute, value: Value): void => {
  if (isEmpty(value)) {
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${value.S === '' ? 'string' : 'binary'} value. Key: ${attribute.name}`,
    )
  }
  requireSize(schema, attribute, value)
}

/** Of an item that is to be stored. @throws DynamoError */
export const requireKeyIn = (schema: KeySchema, item: Item): void => {
  for (const attribute of attributesOf(schema)) {
    const value = own(item, attribute.name)
    if (value === undefined) {
      throw invalid(`One or more parameter values were invalid: Missing the key ${attribute.name} in the item`)
    }
    if (typeOf(value) !== attribute.type) {
      throw invalid(
        `One or more parameter values were invalid: Type mismatch for key ${attribute.name} expected: ${attribute.type} actual: ${typeOf(value)}`,
      )
    }
    requireKeyValue(schema, attribute, value)
  }
}

/** A key that names an item. @throws DynamoError when it has another shape */
export const requireKey = (schema: KeySchema, key: Item): void => {
  const attributes = attributesOf(schema)
  const fits = attributes.every(({ name, type }) => own(key, name)?.[type] !== undefined)
  if (!fits || Object.keys(key).length !== attributes.length) {
    throw invalid('The provided key element does not match the schema')
  }
  for (const attribute of attributes) requireKeyValue(schema, attribute, key[attribute.name] as Value)
}

/** Whether an item belongs to an index. @throws DynamoError when an attribute that is a key there can be none */
export const belongsTo = (index: { name: string; keys: KeySchema }, item: Item): boolean => {
  let belongs = true
  for (const attribute of attributesOf(index.keys)) {
    const value = own(item, attribute.name)
    if (value === undefined) {
      belongs = false
      continue
    }
    if (typeOf(value) !== attribute.type) {
      throw invalid(
        `One or more parameter values were invalid: Type mismatch for Index Key ${attribute.name} Expected: ${attribute.type} Actual: ${typeOf(value)} IndexName: ${index.name}`,
      )
    }
    if (isEmpty(value)) {
      throw invalid(
        `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty ${value.S === '' ? 'string' : 'binary'} value. IndexName: ${index.name}, IndexKey: ${attribute.name}`,
      )
    }
    requireSize(index.keys, attribute, value)
  }
  return belongs
}

/** Only these attributes of an item. */
export const pickKeys = (item: Item, attributes: readonly KeyAttribute[]): Item =>
  Object.fromEntries(attributes.map(({ name }) => [name, item[name] as Value]))
