import * as z from 'zod'
import { type Answers, timeAnswer } from '../common.answer.schema.ts'

const feedEventAnswer = z.object({
  id: z.string(),
  cursor: z.string(),
  type: z.string(),
  owner: z.object({
    kind: z.enum(['cluster', 'federation', 'project']),
    uuid: z.string(),
    name: z.string().nullable(),
  }),
  cluster_id: z.string().nullable(),
  reason: z.string(),
  message: z.string(),
  sequence: z.int(),
  health: z.object({ before: z.string().nullable(), after: z.string() }).optional(),
  quarantined: z.boolean().optional(),
  time: timeAnswer,
})

export const EVENT_ANSWERS: Answers = {
  'GET /v1/events': {
    200: {
      'application/json': z.object({
        events: z.array(feedEventAnswer),
        cursor: z.string().nullable(),
        next: z.string().optional(),
      }),
      'text/event-stream': z.string(),
    },
  },
}
