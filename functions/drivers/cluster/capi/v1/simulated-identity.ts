import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Key in `driverState`: true for a cluster whose API servers are simulated, so that they say of no cluster which one they are. */
const PLAYED = 'capi-simulated-identity'

/** Notes whether the identity is that of the Cluster object, since the cluster itself has none. */
export const playedIdentityState = (uid: string, clusterUid: string | undefined): JsonObject =>
  uid === clusterUid ? { [PLAYED]: true } : {}

/** Why it can't be part of a federation; undefined for clusters whose API servers are real. */
export const federationFault = ({ name, id, driverState }: Cluster): string | undefined =>
  driverState[PLAYED] === true
    ? `Cluster "${name}" (${id}) was made on the infrastructure dev, whose API servers are simulated: they have no identity, and know neither server-side apply nor reviews, so that it can be neither host nor member of a federation. Make it on infrastructure openstack, or register another cluster.`
    : undefined
