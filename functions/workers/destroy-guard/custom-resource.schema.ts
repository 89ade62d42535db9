import * as z from 'zod'
import { StackRequest } from '../stack-request.schema.ts'

/** What CloudFormation sends about the guard. */
export const CustomResourceEvent = StackRequest.extend({
  /** `Enforce`: `false` lets everything go. */
  ResourceProperties: z.object({ Enforce: z.enum(['true', 'false']) }),
})
export type CustomResourceEvent = z.infer<typeof CustomResourceEvent>
