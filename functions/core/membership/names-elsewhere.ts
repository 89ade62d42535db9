import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { TablePorts } from '../ports.ts'

type Ports = Pick<TablePorts, 'stores' | 'drivers'>

/** By cluster id: its names in other federations that its name in this one must differ from. Clusters without such names are left out. */
export type NamesElsewhere = ReadonlyMap<string, ReadonlySet<string>>

const PREFIX = 'member:'

/** Its name in one federation, where that matters to others; undefined where it does not. */
const nameIn = async ({ stores, drivers }: Ports, cluster: Cluster, federationId: string): Promise<string[]> => {
  const { projectId, id: clusterId } = cluster
  const federation = await stores.federations.get({ projectId, id: federationId })
  const driver = drivers.federation.list().find(({ id }) => id === federation?.driver)
  if (driver?.distinctMemberNames !== true) return []
  const membership = await stores.memberships.get({ projectId, federationId, clusterId })
  return membership === undefined ? [] : [membership.memberName]
}

/**
 * Looks up what clusters are called in other federations, for drivers with `distinctMemberNames`.
 *
 * @param federationId the one that they are to join
 */
export const namesElsewhere = async (
  ports: Ports,
  driver: FederationDriverDescription,
  federationId: string,
  clusters: readonly Cluster[],
): Promise<NamesElsewhere> => {
  const names = new Map<string, ReadonlySet<string>>()
  if (driver.distinctMemberNames !== true) return names
  for (const cluster of clusters) {
    const others = cluster.uses.filter((use) => use.startsWith(PREFIX) && use !== `${PREFIX}${federationId}`)
    const found = await Promise.all(others.map((use) => nameIn(ports, cluster, use.slice(PREFIX.length))))
    if (found.flat().length > 0) names.set(cluster.id, new Set(found.flat()))
  }
  return names
}
