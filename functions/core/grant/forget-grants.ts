import type { Cluster } from '../cluster/cluster.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import { type Grant, isLive } from './grant.ts'

/** Removes a grant that is over, once nothing uses the cluster by it. */
export const forgetEndedGrant = (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  key: Pick<Grant, 'projectId' | 'clusterId' | 'id'>,
): Promise<void> =>
  retryOnConflict(async () => {
    const grant = await stores.grants.get(key)
    if (grant === undefined || grant.uses.length > 0 || isLive(grant, clock.now().toISOString())) return
    await stores.commit([stores.grants.remove(grant)])
  })

/** Grants of a cluster that goes. It is used by none: its deletion demands that. */
export const removeGrantsOf = async (
  { stores }: Pick<TablePorts, 'stores'>,
  cluster: Pick<Cluster, 'projectId' | 'id'>,
): Promise<void> => {
  for (const { id } of await stores.grants.listOf(cluster)) {
    await retryOnConflict(async () => {
      const grant = await stores.grants.get({ projectId: cluster.projectId, clusterId: cluster.id, id })
      if (grant !== undefined) await stores.commit([stores.grants.remove(grant)])
    })
  }
}
