import * as z from 'zod'

/** A JSON Schema (draft 2020-12), or part of an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Schemas as requests see them; what has no JSON Schema (a custom check) may be anything. */
const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return converted
}

/** What a caller may send. `null` and `""` are also taken as absent (magnum-rest.md section 0 rule 7), which the document does not repeat. */
export const requestSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'input')

/** What the server answers. */
export const answerSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'output')

/** Envelope of every error (magnum-rest.md section 3). The 406 of an unknown microversion has other keys in its element. */
const errors: JsonSchema = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['code', 'title', 'links'],
        properties: {
          request_id: { type: 'string' },
          code: { type: 'string' },
          status: { type: 'integer' },
          title: { type: 'string' },
          detail: { type: 'string' },
          description: { type: 'string' },
          min_version: { type: 'string' },
          max_version: { type: 'string' },
          links: { type: 'array', items: { type: 'object' } },
        },
      },
    },
  },
}

/** The one answer outside of the envelope. */
const unauthorized: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'title', 'message'],
      properties: { code: { const: 401 }, title: { type: 'string' }, message: { type: 'string' } },
    },
  },
}

const json = (name: string): JsonSchema => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
})

export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = { Errors: errors, Unauthorized: unauthorized }

export const ERROR_RESPONSES: Readonly<Record<string, JsonSchema>> = {
  Refused: {
    description: 'The request was refused and changed nothing; `detail` says what was wrong and what to try.',
    content: json('Errors'),
  },
  Unauthorized: {
    description: 'The request has no valid token.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: json('Unauthorized'),
  },
  Unavailable: { description: 'The database is out of reach or overloaded; try again later.', content: json('Errors') },
}

const response = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` })

/** Answers of every route that asks who calls. */
export const REFUSALS: Readonly<Record<string, JsonSchema>> = {
  '401': response('Unauthorized'),
  '4XX': response('Refused'),
  '503': response('Unavailable'),
}

/** Answers of routes that are open to all. */
export const PUBLIC_REFUSALS: Readonly<Record<string, JsonSchema>> = {
  '4XX': response('Refused'),
  '503': response('Unavailable'),
}
