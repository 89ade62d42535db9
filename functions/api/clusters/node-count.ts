import type { Cluster } from '../../domain/cluster.ts'
import { InvalidRequest } from '../errors.ts'

/** From this minor version on a cluster may have no worker nodes (magnum-rest.md 1.4). */
const ZERO_SINCE = 10

/** @throws InvalidRequest naming the version that allows 0 */
export const demandCountAllowed = (count: number | undefined, minor: number): void => {
  if (count !== 0 || minor >= ZERO_SINCE) return
  throw new InvalidRequest(
    `"node_count" must be 1 or more in version 1.${minor}. Version 1.${ZERO_SINCE} allows 0: send the header "OpenStack-API-Version: container-infra 1.${ZERO_SINCE}".`,
  )
}

const countIn = (cluster: Cluster, key: 'nodeCount' | 'masterCount'): number => {
  const asked = cluster.driverState[key]
  return cluster.observation?.[key] ?? (typeof asked === 'number' ? asked : 0)
}

/** As last seen; before the first look as asked for; 0 where nobody knows yet. */
export const nodeCountOf = (cluster: Cluster): number => countIn(cluster, 'nodeCount')
export const masterCountOf = (cluster: Cluster): number => countIn(cluster, 'masterCount')
