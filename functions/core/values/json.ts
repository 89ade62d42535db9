/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** Levels of JSON. A CustomResourceDefinition of a whole pod template has some 40. */
const DEPTH_MAX = 128

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Thrown for JSON that is over a bound, before it is parsed; `message` goes on a sentence about the answer. */
export class JsonOverBound extends Error {
  override readonly name = 'JsonOverBound'
}

/** Index behind the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** What a character adds to the number of values, and to the level. */
const weight = (code: number): { value: 0 | 1; level: -1 | 0 | 1 } => {
  switch (code) {
    case OPEN_LIST:
    case OPEN_OBJECT:
      return OPEN
    case CLOSE_LIST:
    case CLOSE_OBJECT:
      return CLOSE
    case COMMA:
      return NEXT
    default:
      return OTHER
  }
}
const OPEN = { value: 1, level: 1 } as const
const CLOSE = { value: 0, level: -1 } as const
const NEXT = { value: 1, level: 0 } as const
const OTHER = { value: 0, level: 0 } as const

/** Counts over the text, which need not be JSON: 5 to 20 ms for 2 MiB. @throws JsonOverBound */
const checkShape = (text: string, values: number): void => {
  let seen = 0
  let depth = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    const { value, level } = weight(code)
    seen += value
    depth += level
    if (depth > DEPTH_MAX) throw new JsonOverBound(`is nested deeper than ${DEPTH_MAX} levels`)
    if (seen > values) throw new JsonOverBound(`has more than ${values} values`)
    at += 1
  }
}

/**
 * JSON.parse of text that somebody else wrote. What would block the process for long, or exhaust the stack of who walks through it, is refused before it is
 * parsed.
 *
 * @param values that it may have: members of objects and items of lists, and the objects and lists themselves
 * @throws JsonOverBound, SyntaxError
 */
export const boundedJson = (text: string, values: number): unknown => {
  checkShape(text, values)
  return JSON.parse(text)
}

/** As `boundedJson`; undefined for what is over a bound, or no JSON. Never throws: the parser's message would quote the text. */
export const jsonOrNothing = (text: string, values: number): unknown => {
  try {
    return boundedJson(text, values)
  } catch {
    return
  }
}
