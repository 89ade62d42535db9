import { type JSONVisitor, visit } from 'jsonc-parser'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { InvalidRequest } from '../errors.ts'

/** Deepest nesting of a body: a kubeconfig as JSON needs 6. */
const DEPTH_MAX = 32

const A_VALUE = 'a value'
const A_KEY = 'a key in double quotes'
const GOOD_TEXT = 'text without raw control characters and with known escapes'

/** `ParseErrorCode` of the parser, which are constants of its declarations only: a text without an end, and other faults inside of one. */
const END_OF_TEXT = 12
const IN_TEXT = [14, 15, 16]

type Container = JsonObject | Json[]

/** Builds the value of a body out of what the parser tells, and ends at the first fault. */
class Builder {
  readonly #text: string
  readonly #open: Container[] = []
  #key = ''
  #expected = A_VALUE
  root: Json = null

  constructor(text: string) {
    this.#text = text
  }

  readonly visitor: JSONVisitor = {
    // Objects have no prototype, so that `__proto__` is a key like any other.
    onObjectBegin: () => this.#begin(Object.create(null), A_KEY),
    onArrayBegin: () => this.#begin([], A_VALUE),
    // Also called at the end of the text, with a length of 0, before the fault is told.
    onObjectEnd: (_, length) => this.#end(length),
    onArrayEnd: (_, length) => this.#end(length),
    onObjectProperty: (key, offset) => {
      this.#demandWellFormed(key, offset)
      if (key in (this.#open.at(-1) ?? {}))
        throw new InvalidRequest(`The body has the key ${quote(key)} twice in one object. Give it once.`)
      this.#key = key
      this.#expected = '":"'
    },
    onLiteralValue: (value: Json, offset) => {
      if (typeof value === 'string') this.#demandWellFormed(value, offset)
      if (typeof value === 'number' && !Number.isFinite(value)) throw this.#fault('a number within range', offset)
      this.#put(value)
    },
    onSeparator: (character) => {
      this.#expected = character === ',' && !Array.isArray(this.#open.at(-1)) ? A_KEY : A_VALUE
    },
    onError: (code, offset, length) => {
      throw this.#fault(this.#expectedFor(code, offset + length), offset)
    },
  }

  #begin(container: Container, expected: string): void {
    this.#put(container)
    this.#open.push(container)
    this.#expected = expected
    if (this.#open.length > DEPTH_MAX) throw new InvalidRequest(`The body is nested deeper than ${DEPTH_MAX} levels.`)
  }

  #end(length: number): void {
    if (length === 0) return
    this.#open.pop()
    this.#expectEnd()
  }

  #put(value: Json): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.root = value
    else if (Array.isArray(container)) container.push(value)
    else container[this.#key] = value
    this.#expectEnd()
  }

  #expectEnd(): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.#expected = 'the end of the body'
    else this.#expected = Array.isArray(container) ? '"]"' : '"}"'
  }

  #expectedFor(code: number, end: number): string {
    if (IN_TEXT.includes(code)) return GOOD_TEXT
    if (code !== END_OF_TEXT) return this.#expected
    if (end < this.#text.length) return GOOD_TEXT
    return this.#expected === A_VALUE ? 'a text value' : this.#expected
  }

  /** Text with half a surrogate pair is no Unicode, and no database takes it. */
  #demandWellFormed(text: string, offset: number): void {
    if (!text.isWellFormed()) throw this.#fault('text whose surrogates come in pairs', offset)
  }

  #fault(expected: string, offset: number): InvalidRequest {
    const lines = this.#text.slice(0, offset).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    const what = offset < this.#text.length ? 'something else is there' : 'the body ends there'
    return new InvalidRequest(
      `The body is not valid JSON: ${expected} is expected at line ${lines.length}, column ${column}, but ${what}.`,
    )
  }
}

/**
 * Parses a request body. Unlike `JSON.parse` it refuses an object that has a key twice, where parsers differ in which value counts, and it says where
 * the fault is without repeating the text, which may hold a credential.
 *
 * @throws InvalidRequest naming the position, or the key that is there twice
 */
export const readJson = (text: string): Json => {
  const builder = new Builder(text)
  visit(text, builder.visitor, { disallowComments: true })
  return builder.root
}
