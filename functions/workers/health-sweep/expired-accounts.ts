import { withdraw } from '../../core/access/cluster-people.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import type { IssuedKey } from '../../store/inventory.store.ts'
import { inShares, type Shares } from '../in-shares.ts'

/** Removed in parallel, and how much of that is one project's. */
const SHARES: Shares = { limit: 10, share: 3, budgetMs: 20_000, turn: 0 }

/** Of a cluster that is gone nobody can remove anything; one that does not answer is asked again once it is well. */
const removeOne = async (ports: Ports, key: IssuedKey): Promise<void> => {
  const { inventory, clusters } = ports.stores
  const issued = await inventory.get(key)
  if (issued === undefined) return
  const cluster = await clusters.get({ projectId: key.projectId, id: issued.of.id })
  if (cluster === undefined) return ports.stores.commit([inventory.forget(issued)])
  const { api = 'ok' } = cluster.observation?.healthReason ?? {}
  if (api === 'ok') await withdraw(ports, cluster, issued)
}

/** Removes accounts of kubeconfigs that have expired from clusters. What fails is logged; the next run tries again. */
export const removeExpiredAccounts = async (ports: Ports): Promise<void> => {
  const due = ports.stores.inventory.due(ports.clock.now().toISOString())
  await inShares(due, SHARES, async (key) => {
    try {
      await removeOne(ports, key)
    } catch (error) {
      const reported = loggedError(error)
      ports.log.warn('account of an expired kubeconfig not removed', { ...key, ...reported })
    }
  })
}
