import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from './federation.ts'

/** A federation as far as it takes rights in clusters: with the properties that it is to have. */
export type Using = {
  federation: Pick<Federation, 'projectId' | 'userId' | 'properties'>
  driver: FederationDriverDescription
}

/** Asks the policy whether the caller may have a federation use a cluster. @throws PolicyForbids */
export type RequireUse = (cluster: Cluster, side: 'host' | 'member', using: Using) => void
