import * as z from 'zod'
import type { Answers } from '../answers.ts'

/** `nodes` has the masters in it. */
const statsAnswer = z.object({ clusters: z.int(), nodes: z.int() })

export const STATS_ANSWERS: Answers = {
  'GET /v1/stats': { 200: statsAnswer },
}
