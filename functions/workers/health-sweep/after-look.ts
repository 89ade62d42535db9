import { createAgain } from '../../core/cluster/create-again.ts'
import { toldOfGroups } from '../../core/cluster/node-group-results.ts'
import { GROUPS_IN_COMMIT } from '../../core/cluster/node-group-writes.ts'
import type { Ports } from '../../core/ports.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { Look } from './look.ts'

/** False when the cluster was changed since it was looked at: the next look sees what came of it. */
const unlessChanged = async (act: () => Promise<void>): Promise<boolean> => {
  try {
    await act()
    return true
  } catch (error) {
    if (error instanceof RevisionConflict) return false
    throw error
  }
}

/**
 * Takes over what a look tells of node groups whose nodes come and go without fedplane: counts, addresses, versions, and the cluster's sums.
 * Only while nothing runs or waits on the cluster, since a task knows better; writes only what changed.
 *
 * @returns true when something was stored
 */
export const takeGroups = async ({ stores }: Ports, { cluster, groups, told }: Look): Promise<boolean> => {
  if (cluster.operation !== null || cluster.queue.length > 0) return false
  const { change, writes } = toldOfGroups({ stores }, cluster, { groups, told, done: true, max: GROUPS_IN_COMMIT })
  if (writes.length === 0) return false
  return unlessChanged(() => stores.commit([stores.clusters.change(cluster, change), ...writes]))
}

/** Goes on with a create that failed, when the cluster has come up after all. */
export const resumeCreate = async (ports: Ports, { cluster, isComplete }: Look): Promise<boolean> =>
  isComplete &&
  unlessChanged(() =>
    createAgain(ports, cluster, {
      said: { reason: 'CameUp', message: `Cluster ${cluster.name} has come up after all; its create goes on.` },
    }),
  )
