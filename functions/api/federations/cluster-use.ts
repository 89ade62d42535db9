import type { Cluster } from '../../core/cluster/cluster.ts'
import type { RequireUse, Using } from '../../core/federation/use-of-clusters.ts'
import { quote } from '../../core/values/wording.ts'
import type { FederationRights } from '../../drivers/contract/federation-driver-description.ts'
import type { ClusterUseContext } from '../../policy/rules.ts'
import type { PolicyForbids } from '../errors.ts'
import { type Asker, isAllowed, policyForbids } from '../policy.ts'
import { requireRoleRule } from '../role-rule.ts'

/** As what a federation uses a cluster. */
type Side = keyof FederationRights

const RULES = { host: 'cluster:host', member: 'cluster:join' } as const

/** A driver that does not say what it takes may take everything. */
const rightsOf = ({ driver, federation }: Using): FederationRights =>
  driver.rights?.(federation.properties) ?? { host: 'more', member: 'more' }

const contextOf = (using: Using, side: Side): ClusterUseContext => {
  const { driver, federation } = using
  const { projectId, userId } = federation
  return { driver: driver.id, rights: rightsOf(using)[side], federation: { projectId, userId } }
}

const inWords = ({ rights }: ClusterUseContext): string =>
  rights === 'more' ? 'rights beyond the ClusterRole "edit"' : `the rights of the ClusterRole "${rights}"`

const refusal = (asker: Asker, cluster: Cluster, side: Side, use: ClusterUseContext): PolicyForbids => {
  const remedy =
    use.rights === 'more'
      ? ' Only whoever registered or created the cluster may give those, and an administrator: ask one of them to send the request.'
      : ''
  return policyForbids(
    asker,
    RULES[side],
    ` on cluster ${quote(cluster.name)} (${cluster.id}): as ${side} of a federation of ${use.driver} it would give ${inWords(use)}.${remedy}`,
  )
}

/**
 * Asks whether the caller may have a federation use a cluster, with the rights that its driver takes there; of a cluster that has a role, also
 * for the right to change that role.
 *
 * @throws PolicyForbids naming rule, side and rights
 */
export const requireUseOf =
  (asker: Asker): RequireUse =>
  (cluster, side, using) => {
    const { projectId, userId } = cluster
    requireRoleRule(asker, cluster)
    const use = contextOf(using, side)
    if (!isAllowed(asker, RULES[side], { projectId, userId }, use)) throw refusal(asker, cluster, side, use)
  }
