import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'

const Conditions = z.object({
  status: z.object({
    conditions: z.array(
      z.object({
        type: z.string(),
        status: z.string(),
        reason: z.string().default(''),
        message: z.string().default(''),
      }),
    ),
  }),
})
type Condition = z.infer<typeof Conditions>['status']['conditions'][number]

/** A condition of any object; undefined when it has none of that type. */
export const conditionOf = (object: KubernetesObject | undefined, type: string): Condition | undefined =>
  Conditions.safeParse(object).data?.status.conditions.find((condition) => condition.type === type)
