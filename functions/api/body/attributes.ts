import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { BodySchema } from '../route.ts'

const fieldOf = (path: readonly PropertyKey[]): string => quote(path.map(String).join('.'))

/** Our schemas give each rule's own sentence as the issue's message; it follows the field's name. */
const sentenceOf = (issue: z.core.$ZodIssue): string => `${fieldOf(issue.path)} ${issue.message}.`

/**
 * Parses what a caller sent. Every fault is named, at most five of them.
 *
 * @throws InvalidRequest
 */
export const parseWith = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // An integer beyond 2^53 breaks two rules, and both say the same.
  const sentences = [...new Set(parsed.error.issues.map(sentenceOf))]
  throw new InvalidRequest(sentences.slice(0, 5).join(' '))
}

/** Attributes that a create request knows besides those that it takes. */
export type OtherAttributes = {
  /** Magnum takes and drops them: only the server sets them. */
  ignored: readonly string[]
  /** Shown in reads, refused in requests. */
  readOnly: readonly string[]
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kindOf = (value: Json | undefined): string => {
  if (value === undefined) return 'there is none'
  if (value === null) return 'it is null'
  return Array.isArray(value) ? 'it is a list' : `it is a ${typeof value}`
}

const rejectOthers = (body: JsonObject, known: readonly string[], { ignored, readOnly }: OtherAttributes): void => {
  const keys = Object.keys(body)
  const unknown = keys.filter((key) => ![...known, ...ignored, ...readOnly].includes(key))
  const refused = keys.filter((key) => readOnly.includes(key))
  if (unknown.length === 0 && refused.length === 0) return
  const owned = keys.filter((key) => readOnly.includes(key) || ignored.includes(key))
  const parts = [
    unknown.length > 0
      ? `Unknown ${byNumber(unknown, 'attribute', 'attributes')}: ${listInWords(unknown.map(quote))}.`
      : '',
    owned.length > 0 ? `Only the server sets: ${listInWords(owned.map(quote))}.` : '',
    `Allowed are ${listInWords([...known].sort(), 40)}.`,
  ]
  throw new InvalidRequest(parts.filter((part) => part !== '').join(' '))
}

/** `__proto__` is nobody's attribute, at any depth. */
const rejectPrototypeKeys = (value: Json, path: string): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') throw new InvalidRequest(`Unknown attribute: ${quote(at)}. Leave it out.`)
    rejectPrototypeKeys(inner, at)
  }
}

/**
 * Parses the body of a create request against the attributes that it may have. All unknown ones are named at once.
 *
 * @param what is parsed, as the beginning of a sentence
 * @throws InvalidRequest
 */
export const parseAttributes = <S extends z.ZodObject>(
  schema: S,
  body: Json | undefined,
  others: OtherAttributes,
  what = 'The body',
): z.output<S> => {
  if (!isObject(body)) throw new InvalidRequest(`${what} must be a JSON object with attributes; ${kindOf(body)}.`)
  rejectOthers(body, Object.keys(schema.shape), others)
  rejectPrototypeKeys(body, '')
  return parseWith(schema, body)
}

const parse = (body: Json | undefined): Record<string, never> => {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidRequest('The body must be empty, or an empty JSON object.')
  }
  const keys = Object.keys(body)
  if (keys.length === 0) return {}
  throw new InvalidRequest(
    `Unknown ${byNumber(keys, 'attribute', 'attributes')}: ${listInWords(keys.map(quote))}. This request takes none: leave the body empty.`,
  )
}

/** Body of a request that says all by its path: none, or `{}` (magnum-rest.md 7.1). */
export const noAttributes: BodySchema<Record<string, never>> = {
  schema: z.object({}).optional(),
  bytesMax: 1024,
  parse,
}
