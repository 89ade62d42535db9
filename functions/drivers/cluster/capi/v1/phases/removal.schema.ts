import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'

/** Key in `driverState` of what a resize comes to. */
const REMOVAL = 'capi-removal'

/** Decided once for a task, since the machines that it is decided by change while it is carried out. */
export const Removal = z.object({
  /** Which task of which operation. */
  of: z.string(),
  /** Nodes that the group is to have in the end. */
  count: z.int().min(0),
  /** Names of machines that go. */
  machines: z.array(z.string()),
})
export type Removal = z.infer<typeof Removal>

export const removalState = (removal: Removal): JsonObject => ({ [REMOVAL]: removal })

/** What was decided for that task; undefined when nothing was yet. */
export const storedRemoval = ({ driverState }: Pick<Cluster, 'driverState'>, of: string): Removal | undefined => {
  const { data } = Removal.safeParse(driverState[REMOVAL])
  return data?.of === of ? data : undefined
}
