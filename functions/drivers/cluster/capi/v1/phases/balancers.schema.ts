import * as z from 'zod'
import type { JsonObject } from '../../../../../domain/json.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'

/** Key in `driverState`: since when load balancers are waited for, and in which operation. */
const BALANCERS = 'capi-load-balancers'

const Since = z.object({ of: z.string(), at: z.iso.datetime() })

const storedSince = ({ cluster: { driverState, operation } }: ClusterContext): string | undefined => {
  const { data } = Since.safeParse(driverState[BALANCERS])
  return data?.of === (operation?.id ?? '') ? data.at : undefined
}

/** Notes when the wait began; unchanged by further looks. */
export const balancersState = (context: ClusterContext): JsonObject => ({
  [BALANCERS]: { of: context.cluster.operation?.id ?? '', at: storedSince(context) ?? context.now() },
})

/** True when they were waited for as long as they may take, seconds. */
export const isPatienceOver = (context: ClusterContext, seconds: number): boolean => {
  const since = storedSince(context)
  return since !== undefined && Date.parse(context.now()) - Date.parse(since) > seconds * 1000
}
