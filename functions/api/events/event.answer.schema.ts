import * as z from 'zod'
import { timeAnswer } from '../common.answer.schema.ts'

/** What happened to an entity. */
export const eventAnswer = z.object({
  id: z.string(),
  action: z.string(),
  outcome: z.string(),
  reason: z.string(),
  message: z.string(),
  cluster_id: z.string().nullable().meta({ description: 'Of a federation: the member that it is about.' }),
  sequence: z.int(),
  time: timeAnswer,
})
