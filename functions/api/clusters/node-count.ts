import type { Cluster } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../errors.ts'

/** From this minor version on a cluster may have no worker nodes (magnum-rest.md 1.4). */
const ZERO_SINCE = 10

/** @throws InvalidRequest naming the version that allows 0 (magnum-rest.md section 11 row 10) */
export const requireCountAllowed = (count: number | undefined, minor: number): void => {
  if (count !== 0 || minor >= ZERO_SINCE) return
  throw new InvalidRequest(
    `"node_count" must be 1 or more in version 1.${minor}. Version 1.${ZERO_SINCE} allows 0: send the header "OpenStack-API-Version: container-infra 1.${ZERO_SINCE}".`,
  )
}

/** The members of etcd vote (magnum-rest.md 4.1). @throws InvalidRequest */
export const requireMasterCountOdd = (count: number): void => {
  if (count % 2 === 1) return
  const why = count === 0 ? 'there must be one at least' : 'of two halves of an even number none has a majority'
  const use = count === 0 ? 'Use 1.' : `Use ${count - 1} or ${count + 1}.`
  throw new InvalidRequest(`"master_count" is ${count}; it must be odd, because ${why}. ${use}`)
}

/** @throws InvalidRequest when several masters have no load balancer in front of them (magnum-rest.md 4.1) */
export const requireMastersReachable = (count: number, masterLbEnabled: boolean | null): void => {
  if (count <= 1 || masterLbEnabled === true) return
  throw new InvalidRequest(
    `"master_count" is ${count}; more than 1 needs a load balancer: "master_lb_enabled" true, here or in the cluster template.`,
  )
}

/**
 * Where the driver makes nodes, the sums over its node groups; of other clusters what was seen last, and 0 before the first look
 * (magnum-rest.md 4.2).
 */
export const nodeCountOf = ({ nodes, observation }: Pick<Cluster, 'nodes' | 'observation'>): number =>
  (nodes ?? observation)?.nodeCount ?? 0
export const masterCountOf = ({ nodes, observation }: Pick<Cluster, 'nodes' | 'observation'>): number =>
  (nodes ?? observation)?.masterCount ?? 0
