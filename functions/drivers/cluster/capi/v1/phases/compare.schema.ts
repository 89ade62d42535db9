import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'

/** Key in `driverState` of whether a change of a group changes anything. */
const CHANGE = 'capi-change'

/** Seen once for a task, before anything is written: afterwards all is as it shall be. */
const Change = z.object({
  /** Which task of which operation. */
  of: z.string(),
  isNoOp: z.boolean(),
})

export const changeState = (change: z.infer<typeof Change>): JsonObject => ({ [CHANGE]: change })

/** What was seen for that task; undefined when nothing was yet. */
export const storedChange = (
  { driverState }: Pick<Cluster, 'driverState'>,
  of: string,
): z.infer<typeof Change> | undefined => {
  const { data } = Change.safeParse(driverState[CHANGE])
  return data?.of === of ? data : undefined
}
