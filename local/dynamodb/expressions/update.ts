import type { Value } from '../items/value.ts'
import { typeOf } from '../items/value.ts'
import { type Path, parsePath, requireApart } from './path.ts'
import type { Placeholders } from './placeholders.ts'
import { Tokens } from './tokens.ts'

export type Source =
  | { kind: 'path'; path: Path }
  | { kind: 'value'; value: Value }
  | { kind: 'sum'; sign: 1 | -1; left: Source; right: Source }
  | { kind: 'if-absent'; path: Path; otherwise: Source }
  | { kind: 'append'; left: Source; right: Source }

export type Change =
  | { kind: 'set'; path: Path; to: Source }
  | { kind: 'remove'; path: Path }
  | { kind: 'add' | 'delete'; path: Path; value: Value }

export type Update = { changes: Change[]; paths: Path[] }

const ADDABLE: ReadonlySet<string> = new Set(['N', 'SS', 'NS', 'BS'])
const SETS: ReadonlySet<string> = new Set(['SS', 'NS', 'BS'])

class UpdateParser {
  readonly #tokens: Tokens
  readonly #placeholders: Placeholders
  readonly #changes: Change[] = []

  constructor(tokens: Tokens, placeholders: Placeholders) {
    this.#tokens = tokens
    this.#placeholders = placeholders
  }

  parse(): Update {
    const clauses = new Set<string>()
    while (this.#tokens.peek().type !== 'end') {
      const clause = this.#tokens.peek().text.toUpperCase()
      const parse = this.#clause(clause)
      if (clauses.has(clause)) {
        throw this.#tokens.invalid(`The "${clause}" section can only be used once in an update expression;`)
      }
      clauses.add(clause)
      this.#tokens.take()
      do this.#changes.push(parse())
      while (this.#tokens.takeIf(','))
    }
    const paths = this.#changes.map(({ path }) => path)
    requireApart(this.#tokens, paths)
    return { changes: this.#changes, paths }
  }

  #clause(word: string): () => Change {
    if (word === 'SET') return () => this.#set()
    if (word === 'REMOVE') return () => ({ kind: 'remove', path: this.#path() })
    if (word === 'ADD') return () => this.#withValue('add', ADDABLE)
    if (word === 'DELETE') return () => this.#withValue('delete', SETS)
    throw this.#tokens.unexpected()
  }

  #set(): Change {
    const path = this.#path()
    this.#tokens.demand('=')
    const left = this.#source()
    for (const [sign, factor] of [
      ['+', 1],
      ['-', -1],
    ] as const) {
      if (!this.#tokens.takeIf(sign)) continue
      const right = this.#source()
      this.#requireNumbers(sign, [left, right])
      return { kind: 'set', path, to: { kind: 'sum', sign: factor, left, right } }
    }
    return { kind: 'set', path, to: left }
  }

  #withValue(kind: 'add' | 'delete', types: ReadonlySet<string>): Change {
    const path = this.#path()
    const value = this.#value()
    if (types.has(typeOf(value))) return { kind, path, value }
    throw this.#wrongType(kind.toUpperCase(), value)
  }

  #source(): Source {
    if (this.#tokens.peek().type === 'value') return { kind: 'value', value: this.#value() }
    if (this.#tokens.peek().type === 'name' && this.#tokens.isNext('(', 1)) return this.#function()
    if (!this.#tokens.takeIf('(')) return { kind: 'path', path: this.#path() }
    const inner = this.#source()
    this.#tokens.demand(')')
    return inner
  }

  #function(): Source {
    const name = this.#tokens.take().text
    this.#tokens.demand('(')
    const source = this.#call(name)
    this.#tokens.demand(')')
    return source
  }

  #call(name: string): Source {
    if (name === 'if_not_exists') {
      const path = this.#path()
      this.#tokens.demand(',')
      return { kind: 'if-absent', path, otherwise: this.#source() }
    }
    if (name !== 'list_append') throw this.#tokens.invalid(`Invalid function name; function: ${name}`)
    const left = this.#source()
    this.#tokens.demand(',')
    const right = this.#source()
    for (const source of [left, right]) {
      if (source.kind === 'value' && source.value.L === undefined) throw this.#wrongType(name, source.value)
    }
    return { kind: 'append', left, right }
  }

  #value(): Value {
    const { type, text } = this.#tokens.peek()
    if (type !== 'value') throw this.#tokens.unexpected()
    this.#tokens.take()
    const value = this.#placeholders.value(text)
    if (value !== undefined) return value
    throw this.#tokens.invalid(
      `An expression attribute value used in expression is not defined; attribute value: ${text}`,
    )
  }

  #path(): Path {
    return parsePath(this.#tokens, this.#placeholders)
  }

  #requireNumbers(operator: string, sources: readonly Source[]): void {
    for (const source of sources) {
      if (source.kind === 'value' && source.value.N === undefined) throw this.#wrongType(operator, source.value)
    }
  }

  #wrongType(operator: string, value: Value): Error {
    return this.#tokens.invalid(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
    )
  }
}

/** @throws DynamoError for what is no update */
export const parseUpdate = (text: string, placeholders: Placeholders): Update =>
  new UpdateParser(new Tokens('UpdateExpression', text), placeholders).parse()
