import * as z from 'zod'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'

/** Keys in `driverState` of what may last only so long: since when it does, and in which operation that was seen. */
export const BALANCERS = 'capi-load-balancers'
export const TOPOLOGY_FAULT = 'capi-topology-fault'
type Key = typeof BALANCERS | typeof TOPOLOGY_FAULT

const Since = z.object({ of: z.string(), at: z.iso.datetime() })

const storedSince = ({ cluster: { driverState, operation } }: ClusterContext, key: Key): string | undefined => {
  const { data } = Since.safeParse(driverState[key])
  return data?.of === (operation?.id ?? '') ? data.at : undefined
}

/** Notes when it began; unchanged by further looks. */
export const sinceState = (context: ClusterContext, key: Key): JsonObject => ({
  [key]: { of: context.cluster.operation?.id ?? '', at: storedSince(context, key) ?? context.now() },
})

/** True when it lasts for longer than it may, seconds. */
export const isPatienceOver = (context: ClusterContext, key: Key, seconds: number): boolean => {
  const since = storedSince(context, key)
  return since !== undefined && Date.parse(context.now()) - Date.parse(since) > seconds * 1000
}
