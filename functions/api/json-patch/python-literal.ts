import type { Json, JsonObject } from '../../core/values/json.ts'

const SPACE = /\s*/y
/** With the prefix that Python 2 writes before text: `u'x'`. */
const TEXT = /[uU]?(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/y
const NUMBER = /-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
const WORD = /True|False|None|true|false|null/y

const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
])

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  // JSON's.
  ['/', '/'],
])

const ESCAPE = /\\(U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)/gs

/** Begin an escape with digits or a name, which must be there. */
const NEEDS_MORE = ['U', 'u', 'x', 'N']

const CODE_POINT_MAX = 0x10ffff

/** What an escape stands for, given without its backslash. Unknown ones stay as they are, as in Python; undefined for those that are wrong. */
const characterOf = (body: string): string | undefined => {
  const named = ESCAPES.get(body)
  if (named !== undefined) return named
  if (/^[0-7]/.test(body)) return String.fromCodePoint(Number.parseInt(body, 8))
  if (body.length === 1) return NEEDS_MORE.includes(body) ? undefined : `\\${body}`
  const code = Number.parseInt(body.slice(1), 16)
  return code > CODE_POINT_MAX ? undefined : String.fromCodePoint(code)
}

/** Text without its escapes; undefined when one of them is none. */
const unescaped = (text: string): string | undefined => {
  let isValid = true
  const plain = text.replaceAll(ESCAPE, (_, body: string) => {
    const character = characterOf(body)
    isValid &&= character !== undefined
    return character ?? ''
  })
  return isValid ? plain : undefined
}

const DEPTH_MAX = 16

/** Reads text, numbers, True, False, None, dicts and lists as Python writes them; JSON's words too. */
class PythonLiteral {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Json | undefined {
    const value = this.#value(0)
    return this.#at === this.#text.length ? value : undefined
  }

  #value(depth: number): Json | undefined {
    this.#match(SPACE)
    const value = depth > DEPTH_MAX ? undefined : this.#unpadded(depth)
    this.#match(SPACE)
    return value
  }

  #unpadded(depth: number): Json | undefined {
    if (this.#accept('{')) return this.#dict(depth)
    if (this.#accept('[')) return this.#list(depth)
    const text = this.#textValue()
    if (text !== undefined) return text
    const word = this.#match(WORD)?.[0]
    if (word !== undefined) return WORDS.get(word)
    const number = this.#match(NUMBER)?.[0]
    return number === undefined ? undefined : Number(number)
  }

  #dict(depth: number): JsonObject | undefined {
    const dict: JsonObject = Object.create(null)
    while (!this.#closes('}')) {
      this.#match(SPACE)
      const key = this.#textValue()
      this.#match(SPACE)
      if (key === undefined || !this.#accept(':')) return undefined
      const value = this.#value(depth + 1)
      if (value === undefined || !this.#separated('}')) return undefined
      dict[key] = value
    }
    return dict
  }

  #list(depth: number): Json[] | undefined {
    const list: Json[] = []
    while (!this.#closes(']')) {
      const value = this.#value(depth + 1)
      if (value === undefined || !this.#separated(']')) return undefined
      list.push(value)
    }
    return list
  }

  /** A comma, or the end ahead. */
  #separated(end: string): boolean {
    return this.#accept(',') || this.#text[this.#at] === end
  }

  #closes(end: string): boolean {
    this.#match(SPACE)
    return this.#accept(end)
  }

  #textValue(): string | undefined {
    const found = this.#match(TEXT)
    return found === null ? undefined : unescaped(found[1] ?? found[2] ?? '')
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    this.#at += found?.[0].length ?? 0
    return found
  }

  #accept(character: string): boolean {
    const there = this.#text[this.#at] === character
    if (there) this.#at += 1
    return there
  }
}

/**
 * Reads a value that a client sent as text: a Python literal, as `openstack coe` and Terraform write dictionaries (`{'k': 'v'}`), or JSON
 * (magnum-rest.md 9.1). Undefined when it is neither.
 */
export const readLiteral = (text: string): Json | undefined => new PythonLiteral(text).read()
