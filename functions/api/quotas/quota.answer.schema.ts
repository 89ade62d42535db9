import * as z from 'zod'
import { type Answers, pageAnswer, timeAnswer } from '../common.answer.schema.ts'

const limitAnswer = z.object({ project_id: z.string(), resource: z.string(), hard_limit: z.int() })

const quotaAnswer = limitAnswer.extend({
  id: z.int(),
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
})

/** Of a quota that is set, or the default, which has neither id nor times. */
const quotaOrDefaultAnswer = z.union([quotaAnswer, limitAnswer])

const quotasAnswer = pageAnswer('quotas', quotaAnswer)

export const QUOTA_ANSWERS: Answers = {
  'GET /v1/quotas': { 200: quotasAnswer },
  'POST /v1/quotas': { 201: quotaAnswer },
  'GET /v1/quotas/{project}/{resource}': { 200: quotaOrDefaultAnswer },
  'PATCH /v1/quotas/{project}/{resource}': { 202: quotaAnswer },
  'DELETE /v1/quotas/{project}/{resource}': { 204: null },
}
