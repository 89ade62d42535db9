import * as z from 'zod'
import { type Answers, timeAnswer } from '../common.answer.schema.ts'

const triggerAnswer = z.object({
  uuid: z.string(),
  name: z.string(),
  events: z.array(z.string()),
  filter: z.object({
    owner: z.string().optional(),
    cluster_id: z.string().optional(),
    outcome: z.enum(['pending', 'success', 'failure']).optional(),
  }),
  target: z.union([z.object({ url: z.string() }), z.object({ bus: z.string() })]),
  former_secret_until: timeAnswer.nullable(),
  created_at: timeAnswer,
})

const deliveryAnswer = z.object({
  id: z.string(),
  uuid: z.string(),
  webhook_id: z.string(),
  state: z.enum(['pending', 'delivered', 'dead']),
  type: z.string(),
  attempts: z.int(),
  created_at: timeAnswer,
  next_attempt_at: timeAnswer.nullable(),
  last_attempt: z.object({ at: timeAnswer, status: z.int().nullable(), message: z.string() }).nullable(),
})

export const TRIGGER_ANSWERS: Answers = {
  'GET /v1/triggers': { 200: z.object({ triggers: z.array(triggerAnswer) }) },
  'POST /v1/triggers': { 201: triggerAnswer.extend({ secret: z.string().optional() }) },
  'GET /v1/triggers/{trigger}': { 200: triggerAnswer },
  'DELETE /v1/triggers/{trigger}': { 204: null },
  'GET /v1/triggers/{trigger}/deliveries': {
    200: z.object({ deliveries: z.array(deliveryAnswer), next: z.string().optional() }),
  },
  'POST /v1/triggers/{trigger}/actions/test': { 202: deliveryAnswer },
  'POST /v1/triggers/{trigger}/actions/rotate-secret': {
    200: z.object({ secret: z.string(), former_secret_until: timeAnswer }),
  },
  'POST /v1/triggers/{trigger}/deliveries/{delivery}/actions/replay': { 202: deliveryAnswer },
}
