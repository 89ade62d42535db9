import { invalid } from '../dynamo-error.ts'
import { checkValue } from '../items/check-item.ts'
import { type Item, own, type Value } from '../items/value.ts'

export type ExpressionInput = {
  ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  ExpressionAttributeValues?: Item | undefined
}

const unused = (member: string, keys: readonly string[]): Error =>
  invalid(`Value provided in ${member} unused in expressions: keys: {${keys.join(', ')}}`)

const requireFilled = (member: string, record: object | undefined): void => {
  if (record && Object.keys(record).length === 0) throw invalid(`${member} must not be empty`)
}

/** Names and values that expressions of one request stand in for. */
export class Placeholders {
  readonly #names: Readonly<Record<string, string>>
  readonly #values: Item
  readonly #used = new Set<string>()

  constructor({ ExpressionAttributeNames: names, ExpressionAttributeValues: values }: ExpressionInput) {
    requireFilled('ExpressionAttributeNames', names)
    requireFilled('ExpressionAttributeValues', values)
    this.#names = names ?? {}
    this.#values = values ?? {}
  }

  /** Undefined when it is not defined. */
  name(alias: string): string | undefined {
    this.#used.add(alias)
    return Object.hasOwn(this.#names, alias) ? this.#names[alias] : undefined
  }

  /** In normal form; undefined when it is not defined. */
  value(placeholder: string): Value | undefined {
    this.#used.add(placeholder)
    const value = own(this.#values, placeholder)
    return value && checkValue(value)
  }

  /** After the last expression. @throws DynamoError naming what none of them used */
  requireAllUsed(): void {
    const left = (record: object) => Object.keys(record).filter((key) => !this.#used.has(key))
    const [names, values] = [left(this.#names), left(this.#values)]
    if (names.length > 0) throw unused('ExpressionAttributeNames', names)
    if (values.length > 0) throw unused('ExpressionAttributeValues', values)
  }
}
