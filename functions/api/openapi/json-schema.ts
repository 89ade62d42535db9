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
