import type { Cluster } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'

/** From this minor version on a cluster may have no worker nodes (magnum-rest.md 1.4). */
const ZERO_SINCE = 10

/** @throws InvalidRequest naming the version that allows 0 (magnum-rest.md section 11 row 10) */
export const requireCountAllowed = (count: number | undefined, minor: number): void => {
  if (count !== 0 || minor >= ZERO_SINCE) return
  throw new InvalidRequest(
    `"node_count" must be 1 or more in version 1.${minor}. Version 1.${ZERO_SINCE} allows 0: send the header "OpenStack-API-Version: container-infra 1.${ZERO_SINCE}".`,
  )
}

/**
 * Where the driver makes nodes, the sums over its node groups; of other clusters what was seen last, and 0 before the first observation
 * (magnum-rest.md 4.2).
 */
export const nodeCountOf = ({ nodes, observation }: Pick<Cluster, 'nodes' | 'observation'>): number =>
  (nodes ?? observation)?.nodeCount ?? 0
export const masterCountOf = ({ nodes, observation }: Pick<Cluster, 'nodes' | 'observation'>): number =>
  (nodes ?? observation)?.masterCount ?? 0
