import type { Json, JsonObject } from '../../domain/json.ts'
import { quote } from '../../domain/wording.ts'
import { InvalidRequest } from '../errors.ts'

/** Deepest nesting of a body: a kubeconfig as JSON needs 6. */
const DEPTH_MAX = 32

const WHITESPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

const parsedString = (literal: string): string | undefined => {
  try {
    return JSON.parse(literal) as string
  } catch {
    return undefined
  }
}

/**
 * Strict JSON (RFC 8259): unlike `JSON.parse` it refuses an object that has a key twice, where parsers differ in which value
 * counts, and it says where the fault is without repeating the text, which may hold a credential. Text with half a surrogate pair is
 * no Unicode and no database takes it. Objects have no prototype, so that `__proto__` is a key like any other.
 */
class JsonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** @throws InvalidRequest */
  read(): Json {
    const value = this.#value(0)
    if (this.#at < this.#text.length) throw this.#fault('the end of the body')
    return value
  }

  #value(depth: number): Json {
    if (depth > DEPTH_MAX) throw new InvalidRequest(`The body is nested deeper than ${DEPTH_MAX} levels.`)
    this.#skip()
    const value = this.#unpadded(depth)
    this.#skip()
    return value
  }

  #unpadded(depth: number): Json {
    const first = this.#text[this.#at]
    if (first === '{') return this.#object(depth)
    if (first === '[') return this.#array(depth)
    if (first === '"') return this.#string('a text value')
    const token = this.#take(WORD) ?? this.#take(NUMBER)
    if (token === undefined) throw this.#fault('a value')
    const value = JSON.parse(token) as Json
    if (typeof value === 'number' && !Number.isFinite(value)) throw this.#fault('a number within range')
    return value
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = Object.create(null)
    this.#at += 1
    this.#skip()
    if (this.#accept('}')) return object
    do {
      this.#skip()
      const key = this.#string('a key in double quotes')
      if (key in object)
        throw new InvalidRequest(`The body has the key ${quote(key)} twice in one object. Give it once.`)
      this.#skip()
      this.#expect(':')
      object[key] = this.#value(depth + 1)
    } while (this.#accept(','))
    this.#expect('}')
    return object
  }

  #array(depth: number): Json[] {
    const array: Json[] = []
    this.#at += 1
    this.#skip()
    if (this.#accept(']')) return array
    do {
      array.push(this.#value(depth + 1))
    } while (this.#accept(','))
    this.#expect(']')
    return array
  }

  #string(expected: string): string {
    const from = this.#at
    const end = this.#text[from] === '"' ? this.#endOfString(from + 1) : -1
    if (end < 0) throw this.#fault(expected)
    this.#at = end
    const text = parsedString(this.#text.slice(from, end))
    if (text?.isWellFormed()) return text
    this.#at = from
    throw this.#fault(
      text === undefined
        ? 'text without raw control characters and with known escapes'
        : 'text whose surrogates come in pairs',
    )
  }

  /** Behind the closing quote; -1 when there is none. */
  #endOfString(from: number): number {
    for (let at = from; at < this.#text.length; at++) {
      if (this.#text[at] === '"') return at + 1
      if (this.#text[at] === '\\') at += 1
    }
    return -1
  }

  #skip(): void {
    this.#take(WHITESPACE)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const token = pattern.exec(this.#text)?.[0]
    this.#at += token?.length ?? 0
    return token
  }

  #accept(character: string): boolean {
    const there = this.#text[this.#at] === character
    if (there) this.#at += 1
    return there
  }

  #expect(character: string): void {
    if (!this.#accept(character)) throw this.#fault(`"${character}"`)
  }

  #fault(expected: string): InvalidRequest {
    const lines = this.#text.slice(0, this.#at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    const what = this.#at < this.#text.length ? 'something else is there' : 'the body ends there'
    return new InvalidRequest(
      `The body is not valid JSON: ${expected} is expected at line ${lines.length}, column ${column}, but ${what}.`,
    )
  }
}

/** Parses a request body. @throws InvalidRequest naming the position, or the key that is there twice */
export const readJson = (text: string): Json => new JsonReader(text).read()
