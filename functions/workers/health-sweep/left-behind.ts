import { openClient } from '../../core/access/open-cluster.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { describeObject, type ObjectRef } from '../../core/values/object-ref.ts'
import { listInWords } from '../../core/values/wording.ts'
import { FEDERATION_LABEL } from '../../drivers/support/owned.ts'
import type { KubernetesClient, Resource } from '../../kubernetes/client.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '../../kubernetes/resources.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { Leftover, LeftoverKey } from '../../store/inventory.store.ts'
import { inShares, type Shares } from '../in-shares.ts'
import { isConfirmed } from './verdict.ts'

/** Removed in parallel, and how much of that is one project's. */
const SHARES: Shares = { limit: 10, share: 3, budgetMs: 20_000, turn: 0 }

/** Nobody else removes it meanwhile, and the federation does not take it over. */
const LOCK_MS = 120_000

/** Nothing is deleted after this: well before the lock ends. */
const WORK_MS = 60_000

/** What ends credentials first. Other kinds let nobody in. */
const RESOURCES: readonly [kind: string, (namespace: string) => Resource][] = [
  ['ClusterRoleBinding', () => clusterRoleBindings],
  ['RoleBinding', roleBindings],
  ['Secret', secrets],
  ['ServiceAccount', serviceAccounts],
  ['ClusterRole', () => clusterRoles],
  ['Role', roles],
  ['Namespace', () => namespaces],
]

type Outcome = 'gone' | 'there' | 'foreign'

/** One without the federation's label, or with another uid, is somebody else's. A namespace goes by and by. */
const remove = async (
  client: KubernetesClient,
  resource: Resource,
  { federationId, ref }: { federationId: string; ref: ObjectRef },
): Promise<Outcome> => {
  const there = await client.get(resource, ref.name)
  if (there === undefined) return 'gone'
  const { uid, labels, deletionTimestamp } = there.metadata
  if (uid !== ref.uid || labels?.[FEDERATION_LABEL] !== federationId) return 'foreign'
  if (deletionTimestamp === undefined) await client.delete(resource, ref.name, { uid })
  if (ref.kind === 'Namespace') return 'gone'
  return (await client.get(resource, ref.name))?.metadata.uid === uid ? 'there' : 'gone'
}

/** True when all of it is gone that is the federation's. A namespace in which somebody else has a noted name stays. */
const removeAll = async (client: KubernetesClient, { objects, federationId }: Leftover): Promise<boolean> => {
  const until = performance.now() + WORK_MS
  const shared = new Set<string>()
  const ordered = RESOURCES.flatMap(([kind, resourceIn]) =>
    objects.filter((ref) => ref.kind === kind).map((ref) => ({ ref, resource: resourceIn(ref.namespace) })),
  )
  for (const { ref, resource } of ordered) {
    if (performance.now() > until) return false
    if (ref.kind === 'Namespace' && shared.has(ref.name)) continue
    const outcome = await remove(client, resource, { federationId, ref })
    if (outcome === 'there') return false
    if (outcome === 'foreign') shared.add(ref.namespace)
  }
  return true
}

/** Two looks agree that the cluster is well, and that it is the one. */
const isWell = ({ observation }: Cluster): boolean =>
  observation?.healthStatus === 'HEALTHY' && isConfirmed(observation) && !observation.isOther

const told = (ports: Ports, { memberName, federationId, federationProjectId, objects }: Leftover, cluster: Cluster) => {
  const whose = federationProjectId === cluster.projectId ? '' : ` of project ${federationProjectId}`
  return ownerEvent(ports, 'cluster', cluster, {
    action: 'update',
    outcome: 'success',
    reason: 'LeftoversRemoved',
    message: `What federation ${federationId}${whose} had left in it as ${memberName} was removed: ${listInWords(objects.map(describeObject))}.`,
    notify: false,
  })
}

const finish = ({ stores, ...ports }: Ports, left: Leftover): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await stores.clusters.get({ projectId: left.projectId, id: left.clusterId })
    const removed = stores.inventory.removeLeftover(left)
    if (cluster === undefined) return stores.commit([removed])
    return stores.commit([removed, stores.clusters.change(cluster, {}), told({ stores, ...ports }, left, cluster)])
  })

/** For the time of the removal it is locked; undefined when somebody else has it. */
const locked = async ({ stores, clock }: Ports, read: Leftover): Promise<Leftover | undefined> => {
  const next = { ...read, dueAt: new Date(clock.now().getTime() + LOCK_MS).toISOString() }
  try {
    await stores.commit([stores.inventory.putLeftover(read, next)])
  } catch (error) {
    if (error instanceof RevisionConflict) return undefined
    throw error
  }
  return { ...next, revision: read.revision + 1 }
}

const removeOne = async (ports: Ports, key: LeftoverKey): Promise<void> => {
  const { inventory, clusters, memberships } = ports.stores
  const read = await inventory.getLeftover(key)
  if (read === undefined || read.dueAt > ports.clock.now().toISOString()) return
  const cluster = await clusters.get({ projectId: read.projectId, id: read.clusterId })
  if (cluster === undefined) return finish(ports, read)
  if (!isWell(cluster)) return
  const left = await locked(ports, read)
  if (left === undefined) return
  // Asked under the lock: one that joins again looks at that before it makes anything.
  if ((await memberships.get({ ...left, projectId: left.federationProjectId })) !== undefined) return
  const client = await openClient(ports, cluster)
  try {
    if (!(await removeAll(client, left))) return
  } finally {
    client.close()
  }
  await finish(ports, left)
}

/**
 * Removes from clusters that answer again what forced unjoins left in them: objects with the federation's label and the uid that was noted, and no others. What
 * fails is logged, and tried again after two minutes.
 */
export const removeLeftBehind = async (ports: Ports): Promise<void> => {
  const due = ports.stores.inventory.dueLeftovers(ports.clock.now().toISOString())
  await inShares(due, SHARES, async (key) => {
    try {
      await removeOne(ports, key)
    } catch (error) {
      const reported = loggedError(error)
      ports.log.warn('what a federation left in a cluster not removed', { ...key, ...reported })
    }
  })
}
