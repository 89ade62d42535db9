import * as z from 'zod'
import { pageAnswer, timeAnswer } from '../common.answer.schema.ts'

const limitAnswer = z.object({ project_id: z.string(), resource: z.string(), hard_limit: z.int() })

export const quotaAnswer = limitAnswer.extend({
  id: z.int(),
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
})

/** Of a quota that is set, or the default, which has neither id nor times. */
export const quotaOrDefaultAnswer = z.union([quotaAnswer, limitAnswer])

export const quotasAnswer = pageAnswer('quotas', quotaAnswer)
