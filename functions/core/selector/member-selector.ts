import type { FederationRights } from '../../drivers/contract/federation-driver-description.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { isManagementCluster } from '../cluster/management.ts'
import type { RightsLevel } from '../values/identity.ts'
import { matchesLabels, parseLabelSelector } from './label-selector.ts'
import type { ClusterSelector, MemberSelector } from './selector.ts'
import { isInRange, parseVersionRange } from './version-range.ts'

/** @throws InvalidRequest for a selector that can't be read */
export const matcherOf = ({ labels, driver, healthStatus, status, version }: ClusterSelector) => {
  const byLabels = labels === undefined ? null : parseLabelSelector(labels)
  const range = version === undefined ? null : parseVersionRange(version)
  return (cluster: Cluster): boolean =>
    (byLabels === null || matchesLabels(byLabels, cluster.magnum.labels)) &&
    (driver === undefined || cluster.driver === driver) &&
    (healthStatus === undefined || (cluster.observation?.healthStatus ?? 'UNKNOWN') === healthStatus) &&
    (status === undefined || cluster.status === status) &&
    (range === null || isInRange(range, cluster.observation?.version ?? null)) &&
    !cluster.status.startsWith('DELETE_')
}

const RANK: Readonly<Record<RightsLevel, number>> = { view: 0, edit: 1, more: 2 }

/** True where who set the selector could have had the cluster joined with these rights. A cluster with a role is never selected. */
export const mayBeSelected = (
  { consent }: Pick<MemberSelector, 'consent'>,
  cluster: Cluster,
  rights: FederationRights,
): boolean =>
  !isManagementCluster(cluster) &&
  RANK[rights.member] <= RANK[consent.rights] &&
  (consent.clusters === 'all' || cluster.userId === consent.userId)
