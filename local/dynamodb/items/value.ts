/** A value as DynamoDB's JSON has it; binary ones are base64. */
export type Value = {
  S?: string
  N?: string
  B?: string
  BOOL?: boolean
  NULL?: boolean
  SS?: string[]
  NS?: string[]
  BS?: string[]
  L?: Value[]
  M?: Item
}

export type Item = { [attribute: string]: Value }

export type ValueType = keyof Value

/** The member of a record that is its own: names such as `constructor` are attributes like others. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** An empty record without inherited members, so that `__proto__` is an attribute like others. */
export const emptyItem = (): Item => Object.create(null)

/** A copy that can be changed. */
export const copyOf = (item: Item): Item => Object.assign(emptyItem(), item)

export const typeOf = (value: Value): ValueType => Object.keys(value)[0] as ValueType
