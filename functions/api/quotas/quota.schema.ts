import * as z from 'zod'
import { QUOTA_RESOURCE, QUOTA_RESOURCES } from '../../core/values/quota.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { integerField, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { flag, listQuery } from '../query.ts'
import type { BodySchema } from '../route.ts'

const resource = optional(
  z.enum(QUOTA_RESOURCES, { error: `must be one of ${listInWords(QUOTA_RESOURCES.map(quote))}` }),
).transform((given) => given ?? QUOTA_RESOURCE)
/** Magnum's default for a quota that says nothing. */
const hardLimit = optional(integerField(0)).transform((limit) => limit ?? 1)

const others: OtherAttributes = { ignored: ['id'], readOnly: ['created_at', 'updated_at'] }

const bodyOf = <S extends z.ZodObject>(schema: S): BodySchema<z.output<S>> => ({
  schema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(schema, body, others),
})

const DOTS: readonly string[] = ['.', '..']

/** A quota is reached by a path that has its project as a segment. */
const projectField = textField()
  .refine((id) => !id.includes('/') && !DOTS.includes(id), {
    error: 'must have no "/" and not be "." or "..": the path of the quota has it as a segment',
  })
  .meta({ pattern: '^[^/\\u0000-\\u001f\\u007f-\\u009f]*$' })

export const createQuotaBody = bodyOf(z.object({ project_id: projectField, resource, hard_limit: hardLimit }))
export type CreateQuota = ReturnType<typeof createQuotaBody.parse>

/** The path says which quota: what the body says of it too, as the CLI does, is not checked. */
export const updateQuotaBody = bodyOf(z.object({ project_id: optional(textField()), resource, hard_limit: hardLimit }))
export type UpdateQuota = ReturnType<typeof updateQuotaBody.parse>

const MARKER_RULE = 'must be the integer id of the last quota seen'

export const quotasQuery = listQuery.extend({
  /** Not a UUID as elsewhere (magnum-rest.md section 2). */
  marker: z
    .string()
    .regex(/^[0-9]{1,15}$/, { error: MARKER_RULE })
    .optional()
    .transform((text) => (text === undefined ? undefined : String(Number(text)))),
  all_tenants: flag,
})
export type QuotasQuery = z.output<typeof quotasQuery>
