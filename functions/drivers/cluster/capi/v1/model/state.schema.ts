import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'

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

/** What was found out once for a task, before anything was written: a second observation would see something else. `of`: which task of which operation. */
const perTask = <T extends { of: string }>(key: string, shape: z.ZodType<T>) => ({
  state: (value: T & JsonObject): JsonObject => ({ [key]: value }),
  /** Undefined when nothing was found out for that task yet. */
  stored: ({ driverState }: Pick<Cluster, 'driverState'>, of: string): T | undefined => {
    const { data } = shape.safeParse(driverState[key])
    return data?.of === of ? data : undefined
  },
})

/** Whether a change of a group changes anything. */
export const change = perTask('capi-change', z.object({ of: z.string(), isNoOp: z.boolean() }))

const Removal = z.object({
  of: z.string(),
  /** Nodes that the group is to have in the end. */
  count: z.int().min(0),
  /** Names of machines that go. */
  machines: z.array(z.string()),
})
export type Removal = z.infer<typeof Removal>

/** What a resize comes to. */
export const removal = perTask('capi-removal', Removal)

/** Keys in `driverState` of what may last only so long: since when it does, and in which operation that was seen. */
export const BALANCERS = 'capi-load-balancers'
export const TOPOLOGY_FAULT = 'capi-topology-fault'
type Key = typeof BALANCERS | typeof TOPOLOGY_FAULT

const Since = z.object({ of: z.string(), at: z.iso.datetime() })

const storedSince = ({ cluster: { driverState, operation } }: ClusterContext, key: Key): string | undefined => {
  const { data } = Since.safeParse(driverState[key])
  return data?.of === (operation?.id ?? '') ? data.at : undefined
}

/** Notes when it began; unchanged by further observations. */
export const sinceState = (context: ClusterContext, key: Key): JsonObject => ({
  [key]: { of: context.cluster.operation?.id ?? '', at: storedSince(context, key) ?? context.now() },
})

/** True when it lasts for longer than it may, seconds. */
export const isTimedOut = (context: ClusterContext, key: Key, seconds: number): boolean => {
  const since = storedSince(context, key)
  return since !== undefined && Date.parse(context.now()) - Date.parse(since) > seconds * 1000
}

/** Key in `driverState`: true for a cluster whose API servers are simulated, so that they say of no cluster which one they are. */
const SIMULATED_IDENTITY = 'capi-simulated-identity'

/** Notes whether the identity is that of the Cluster object, since the cluster itself has none. */
export const simulatedIdentityState = (uid: string, clusterUid: string | undefined): JsonObject =>
  uid === clusterUid ? { [SIMULATED_IDENTITY]: true } : {}

/** Why it can't be part of a federation; undefined for clusters whose API servers are real. */
export const federationFault = ({ name, id, driverState }: Cluster): string | undefined =>
  driverState[SIMULATED_IDENTITY] === true
    ? `Cluster "${name}" (${id}) was made on the infrastructure dev, whose API servers are simulated: they have no identity, and know neither server-side apply nor reviews, so that it can be neither host nor member of a federation. Make it on infrastructure openstack, or register another cluster.`
    : undefined
