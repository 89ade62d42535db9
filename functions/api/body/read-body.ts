import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { InvalidRequest, RequestTooLarge } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { UnsupportedMediaType } from '../errors.ts'

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
    // Also called at the end of the text, with a length of 0, before the fault is reported.
    onObjectEnd: (_, length) => this.#end(length),
    onArrayEnd: (_, length) => this.#end(length),
    onObjectProperty: (key, offset) => {
      this.#requireWellFormed(key, offset)
      if (key in (this.#open.at(-1) ?? {}))
        throw new InvalidRequest(`The body has the key ${quote(key)} twice in one object. Give it once.`)
      this.#key = key
      this.#expected = '":"'
    },
    onLiteralValue: (value: Json, offset) => {
      if (typeof value === 'string') this.#requireWellFormed(value, offset)
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
  #requireWellFormed(text: string, offset: number): void {
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

/** Bodies of most requests, bytes: room for 64 KiB of properties with their escapes. */
export const BODY_BYTES_MAX = 128 * 1024

/** Bodies that carry a kubeconfig, bytes: 256 KiB of YAML, escaped into a JSON string, twice over, and the other fields. */
export const KUBECONFIG_BODY_BYTES_MAX = 640 * 1024

const JSON_TYPE = /^application\/(?:json|json-patch\+json|[a-z0-9.-]+\+json)$/

const mediaTypeOf = (event: APIGatewayProxyEventV2): string | undefined =>
  event.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || undefined

/** Compressed bodies are not unpacked: a small one may hide a huge one. @throws UnsupportedMediaType */
const requirePlain = (event: APIGatewayProxyEventV2): void => {
  const encoding = event.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return
  throw new UnsupportedMediaType(
    `The body has the Content-Encoding ${quote(encoding)}, which is not understood. Send it plain, without that header.`,
  )
}

const bytesOf = (event: APIGatewayProxyEventV2): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new InvalidRequest('The body is not valid UTF-8. Send JSON as UTF-8.', { cause })
  }
}

/**
 * The JSON body of a request; undefined when there is none. A body without Content-Type is taken as JSON; without a body any
 * Content-Type is fine, because clients send one on every request (magnum-rest.md section 0 rule 9).
 *
 * @throws RequestTooLarge, UnsupportedMediaType, InvalidRequest
 */
export const readBody = (event: APIGatewayProxyEventV2, bytesMax: number): Json | undefined => {
  const bytes = bytesOf(event)
  if (bytes.length === 0) return undefined
  if (bytes.length > bytesMax) {
    throw new RequestTooLarge(`The body has ${bytes.length} bytes; at most ${bytesMax} are allowed here.`)
  }
  requirePlain(event)
  const type = mediaTypeOf(event)
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw new UnsupportedMediaType(`The content type ${quote(type)} is not understood. Send "application/json".`)
  }
  const text = decode(bytes)
  return text.trim() === '' ? undefined : readJson(text)
}
