import type { Cluster } from '../cluster.ts'
import { startDeletion } from '../deletion.ts'
import type { ApiObject } from '../types.ts'

const ownersOf = ({ metadata }: ApiObject): string[] =>
  (metadata.ownerReferences ?? []).map((owner) => String(owner.uid ?? ''))

/** At which count of changes it was last looked. */
const looked = new WeakMap<Cluster, number>()

/** Deletes objects all of whose owners are gone. */
export const garbageCollector = (cluster: Cluster): void => {
  const { ownerChanges } = cluster.store
  if (looked.get(cluster) === ownerChanges) return
  looked.set(cluster, ownerChanges)
  const all = [...cluster.store.all()]
  const uids = new Set(all.map(({ object }) => object.metadata.uid))
  for (const { collection, object } of all) {
    const owners = ownersOf(object)
    if (owners.length > 0 && !owners.some((uid) => uids.has(uid))) startDeletion(cluster, collection, object)
  }
}
