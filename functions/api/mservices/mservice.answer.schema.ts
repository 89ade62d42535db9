import * as z from 'zod'
import type { Answers } from '../answers.ts'
import { timeAnswer } from '../common.answer.schema.ts'

const mserviceAnswer = z.object({
  id: z.int(),
  host: z.string(),
  binary: z.literal('magnum-conductor'),
  state: z.enum(['up', 'down']),
  report_count: z.int(),
  disabled: z.literal(false),
  disabled_reason: z.null(),
  created_at: timeAnswer,
  updated_at: timeAnswer,
})

const mservicesAnswer = z.object({ mservices: z.array(mserviceAnswer) })

export const MSERVICE_ANSWERS: Answers = {
  'GET /v1/mservices': { 200: mservicesAnswer },
}
