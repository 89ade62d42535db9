import type { Cluster } from '../core/cluster/cluster.ts'
import { isManagementCluster } from '../core/cluster/management.ts'
import { quote } from '../core/values/wording.ts'
import { type Asker, isAllowed, policyForbids } from './policy.ts'

const RULE = 'cluster:set_management'

/**
 * A cluster with a role is as powerful as the role: whoever has a management cluster has every cluster that is made through it. Each use and
 * change of one takes the right to give that role.
 *
 * @throws PolicyForbids
 */
export const requireRoleRule = (asker: Asker, cluster: Cluster): void => {
  const { name, id, projectId, userId } = cluster
  if (!isManagementCluster(cluster) || isAllowed(asker, RULE, { projectId, userId })) return
  throw policyForbids(
    asker,
    RULE,
    `. Cluster ${quote(name)} (${id}) is a management cluster: only an administrator changes it or uses it in a federation.`,
  )
}
