import { compareValues } from '../items/compare.ts'
import { typeOf, type Value, type ValueType } from '../items/value.ts'
import { type Path, parsePath } from './path.ts'
import type { Placeholders } from './placeholders.ts'
import { type ExpressionKind, Tokens } from './tokens.ts'

/** `size` is the length of what is at a path. */
export type Operand = { kind: 'path'; path: Path } | { kind: 'value'; value: Value } | { kind: 'size'; path: Path }

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>='

export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; comparator: Comparator; left: Operand; right: Operand }
  | { kind: 'between'; of: Operand; low: Operand; high: Operand }
  | { kind: 'in'; of: Operand; among: Operand[] }
  | { kind: 'exists'; path: Path; wanted: boolean }
  | { kind: 'type'; path: Path; type: string }
  | { kind: 'begins' | 'contains'; of: Operand; part: Operand }

const COMPARATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>='])
const TYPES: ReadonlySet<string> = new Set<ValueType>(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'])
const FUNCTIONS: ReadonlySet<string> = new Set([
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
])
/** DynamoDB's limit for the list of IN. */
const IN_MAX = 100

const show = (value: Value): string => `AttributeValue: {${typeOf(value)}:${Object.values(value)[0]}}`

/** Reads an expression by recursive descent; binding from weak to strong: OR, AND, NOT, comparison. */
class ConditionParser {
  readonly #tokens: Tokens
  readonly #placeholders: Placeholders

  constructor(tokens: Tokens, placeholders: Placeholders) {
    this.#tokens = tokens
    this.#placeholders = placeholders
  }

  parse(): Condition {
    const condition = this.#or()
    this.#tokens.requireEnd()
    return condition
  }

  #or(): Condition {
    let left = this.#and()
    while (this.#tokens.takeIf('OR')) left = { kind: 'or', left, right: this.#and() }
    return left
  }

  #and(): Condition {
    let left = this.#not()
    while (this.#tokens.takeIf('AND')) left = { kind: 'and', left, right: this.#not() }
    return left
  }

  #not(): Condition {
    if (this.#tokens.takeIf('NOT')) return { kind: 'not', of: this.#not() }
    if (this.#tokens.takeIf('(')) {
      const inner = this.#or()
      this.#tokens.demand(')')
      return inner
    }
    const isFunction = this.#tokens.peek().type === 'name' && this.#tokens.isNext('(', 1)
    return isFunction && !this.#tokens.isNext('SIZE') ? this.#function() : this.#comparison()
  }

  #function(): Condition {
    const name = this.#tokens.take().text
    if (!FUNCTIONS.has(name)) throw this.#tokens.invalid(`Invalid function name; function: ${name}`)
    this.#tokens.demand('(')
    const condition = this.#call(name)
    this.#tokens.demand(')')
    return condition
  }

  #call(name: string): Condition {
    if (name.endsWith('_exists')) {
      return { kind: 'exists', path: this.#path(), wanted: name === 'attribute_exists' }
    }
    if (name === 'attribute_type') return this.#typeCheck()
    const of = this.#operand()
    this.#tokens.demand(',')
    const part = this.#operand()
    if (name === 'contains') return { kind: 'contains', of, part }
    this.#requireType(name, [of, part], ['S', 'B'])
    return { kind: 'begins', of, part }
  }

  #typeCheck(): Condition {
    const path = this.#path()
    this.#tokens.demand(',')
    const operand = this.#operand()
    const type = operand.kind === 'value' ? operand.value.S : undefined
    if (type === undefined) throw this.#wrongType('attribute_type', operand)
    if (TYPES.has(type)) return { kind: 'type', path, type }
    throw this.#tokens.invalid(
      `Invalid attribute type name found; type: ${type}, valid types: {${[...TYPES].sort().join(',')}}`,
    )
  }

  #comparison(): Condition {
    const left = this.#operand()
    if (this.#tokens.takeIf('BETWEEN')) return this.#between(left)
    if (this.#tokens.takeIf('IN')) return { kind: 'in', of: left, among: this.#list() }
    const { text } = this.#tokens.peek()
    if (!COMPARATORS.has(text)) throw this.#tokens.unexpected()
    this.#tokens.take()
    const right = this.#operand()
    if (text !== '=' && text !== '<>') this.#requireType(text, [left, right], ['S', 'N', 'B'])
    return { kind: 'compare', comparator: text as Comparator, left, right }
  }

  #between(of: Operand): Condition {
    const low = this.#operand()
    this.#tokens.demand('AND')
    const high = this.#operand()
    this.#requireType('BETWEEN', [of, low, high], ['S', 'N', 'B'])
    if (low.kind === 'value' && high.kind === 'value') this.#requireBounds(low.value, high.value)
    return { kind: 'between', of, low, high }
  }

  #requireBounds(low: Value, high: Value): void {
    const order = compareValues(low, high)
    if (order !== undefined && order <= 0) return
    const demand =
      order === undefined
        ? 'same data type for lower and upper bounds'
        : 'upper bound to be greater than or equal to lower bound'
    throw this.#tokens.invalid(
      `The BETWEEN operator requires ${demand}; lower bound operand: ${show(low)}, upper bound operand: ${show(high)}`,
    )
  }

  #list(): Operand[] {
    this.#tokens.demand('(')
    const among = [this.#operand()]
    while (this.#tokens.takeIf(',')) among.push(this.#operand())
    this.#tokens.demand(')')
    if (among.length <= IN_MAX) return among
    throw this.#tokens.invalid(
      `The IN operator is provided with too many operands; number of operands: ${among.length}`,
    )
  }

  #operand(): Operand {
    const { type, text } = this.#tokens.peek()
    if (type === 'value') {
      this.#tokens.take()
      const value = this.#placeholders.value(text)
      if (value !== undefined) return { kind: 'value', value }
      throw this.#tokens.invalid(
        `An expression attribute value used in expression is not defined; attribute value: ${text}`,
      )
    }
    if (!this.#tokens.isNext('SIZE') || !this.#tokens.isNext('(', 1)) return { kind: 'path', path: this.#path() }
    this.#tokens.take()
    this.#tokens.demand('(')
    const path = this.#path()
    this.#tokens.demand(')')
    return { kind: 'size', path }
  }

  #path(): Path {
    return parsePath(this.#tokens, this.#placeholders)
  }

  #requireType(operator: string, operands: readonly Operand[], types: readonly ValueType[]): void {
    const wrong = operands.find((operand) => operand.kind === 'value' && !types.includes(typeOf(operand.value)))
    if (wrong !== undefined) throw this.#wrongType(operator, wrong)
  }

  #wrongType(operator: string, operand: Operand): Error {
    const type = operand.kind === 'value' ? typeOf(operand.value) : operand.kind.toUpperCase()
    return this.#tokens.invalid(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    )
  }
}

/** @throws DynamoError for what is no condition */
export const parseCondition = (kind: ExpressionKind, text: string, placeholders: Placeholders): Condition =>
  new ConditionParser(new Tokens(kind, text), placeholders).parse()
