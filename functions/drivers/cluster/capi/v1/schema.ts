import * as z from 'zod'
import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Key in `driverState` of the names that a cluster has in its management cluster. */
const NAMES = 'capi-names'

const Names = z.object({ cluster: z.string(), namespace: z.string() })

/** The names that were stored when its creation began; undefined before that. */
export const storedNames = ({ driverState }: Pick<Cluster, 'driverState'>): z.infer<typeof Names> | undefined =>
  Names.safeParse(driverState[NAMES]).data

/** Names as they are kept in `driverState`. */
export const namesState = ({ cluster, namespace }: z.infer<typeof Names>): JsonObject => ({
  [NAMES]: { cluster, namespace },
})
