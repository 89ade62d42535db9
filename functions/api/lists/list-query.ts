import * as z from 'zod'
import { isUuid } from '../../core/values/ids.ts'

/** Items of a page at most, and by default (Magnum's `max_limit`). */
const LIMIT_MAX = 1000

const LIMIT_RULE = 'must be an integer greater than 0'

/** Query of every list (magnum-rest.md section 2); `sort_key` is checked against the list's own columns. */
export const listQuery = z.object({
  limit: z
    .string()
    .regex(/^\+?0*[1-9][0-9]{0,8}$/, { error: LIMIT_RULE })
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
