import * as z from 'zod'
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

export const mservicesAnswer = z.object({ mservices: z.array(mserviceAnswer) })
