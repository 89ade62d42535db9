import * as z from 'zod'
import { InvalidRequest } from '../core/errors.ts'
import { isUuid } from '../core/values/ids.ts'
import { byNumber, listInWords, quote } from '../core/values/wording.ts'
import { parseWith } from './body/attributes.ts'
import { BOOLEAN_PATTERN, booleanOf } from './body/fields.ts'

const booleanText = z
  .string()
  .meta({ pattern: BOOLEAN_PATTERN })
  .transform((text, context) => {
    const value = booleanOf(text)
    if (value === undefined) context.addIssue({ code: 'custom', message: 'must be a boolean: true or false' })
    return value ?? false
  })

/** A boolean query parameter: absent is false. */
export const flag = booleanText.optional().default(false)

/** `?rollback=` of a PATCH: read, so that a wrong one is refused, and of no effect. Undefined when absent. */
export const rollback = booleanText.optional()

/** No parameters at all. */
export const noQuery = z.object({})

/**
 * Parses a query string. A parameter that the route does not know is an error (magnum-rest.md section 2), as is one given twice.
 *
 * @throws InvalidRequest
 */
export const parseQuery = <S extends z.ZodObject>(schema: S, rawQueryString: string): z.output<S> => {
  const given = [...new URLSearchParams(rawQueryString)]
  const known = Object.keys(schema.shape)
  const unknown = given.map(([key]) => key).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    const named = [...new Set(unknown)].map(quote)
    const allowed =
      known.length === 0
        ? 'This path takes none'
        : `${byNumber(known, 'Allowed is', 'Allowed are')} ${listInWords(known)}`
    throw new InvalidRequest(
      `Unknown query ${byNumber(named, 'parameter', 'parameters')}: ${listInWords(named)}. ${allowed}.`,
    )
  }
  const twice = given.find(([key], index) => given.findIndex(([other]) => other === key) !== index)
  if (twice !== undefined)
    throw new InvalidRequest(`The query parameter ${quote(twice[0])} is there twice. Give it once.`)
  return parseWith(schema, Object.fromEntries(given))
}

/** Items of a page at most, and by default (Magnum's `max_limit`). */
const LIMIT_MAX = 1000

const LIMIT_RULE = 'must be an integer greater than 0'

/** Query of every list (magnum-rest.md section 2); `sort_key` is checked against the list's own columns. */
export const listQuery = z.object({
  limit: z
    .string()
    .regex(/^\+?0*[1-9][0-9]*$/, { error: LIMIT_RULE })
    .optional()
    .transform((text) => Math.min(text === undefined ? LIMIT_MAX : Number(text), LIMIT_MAX)),
  marker: z
    .string()
    .refine(isUuid, { error: 'must be the UUID of the last item seen' })
    .meta({ format: 'uuid' })
    .optional(),
  sort_key: z.string().optional().default('id'),
  sort_dir: z.enum(['asc', 'desc'], { error: 'must be "asc" or "desc"' }).optional().default('asc'),
})
export type ListQuery = z.output<typeof listQuery>

/** Query of lists that have one order only. */
export const pageQuery = listQuery.pick({ limit: true, marker: true })
export type PageQuery = z.output<typeof pageQuery>

/** `?workloads=`: what an unjoin does with the workloads that the federation brought into the member. Absent: they stay. */
export const workloads = z.enum(['keep', 'delete'], { error: 'must be "keep" or "delete"' }).optional()
