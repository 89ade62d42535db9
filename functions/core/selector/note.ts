import type { SelectorWork } from '../../store/selector.store.ts'
import { type Cluster, federationUses } from '../cluster/cluster.ts'
import type { TablePorts } from '../ports.ts'
import type { DomainEvent } from '../values/event.ts'
import { matcherOf } from './member-selector.ts'
import type { MemberSelector } from './selector.ts'

export type FederationKey = { projectId: string; id: string }

/** A cluster that is to be followed for a federation. */
export const workOf = (federation: FederationKey, clusterId: string, noted: string, since: string): SelectorWork => ({
  projectId: federation.projectId,
  federationId: federation.id,
  clusterId,
  noted,
  marker: null,
  since,
})

/** True where selector and membership disagree. Whether the member is the selector's shows when it is followed. */
export const isTouched = (wanted: MemberSelector['wanted'], federationId: string) => {
  const matches = matcherOf(wanted)
  return (cluster: Cluster): boolean =>
    matches(cluster) !==
    federationUses(cluster).some(({ side, federation }) => side === 'member' && federation.id === federationId)
}

/**
 * Notes what an event means for the selectors of its project: of a cluster's, that cluster alone is read. Can run twice.
 *
 * @returns federations whose selectors have something to follow
 */
export const noteForSelectors = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  { id: noted, projectId, owner }: DomainEvent,
): Promise<FederationKey[]> => {
  if (owner.kind === 'federation') {
    const pointer = await stores.selectors.get({ projectId, id: owner.id })
    return pointer === undefined ? [] : [{ projectId, id: owner.id }]
  }
  const pointers = await stores.selectors.listOf(projectId)
  const cluster = pointers.length === 0 ? undefined : await stores.clusters.get({ projectId, id: owner.id })
  if (cluster === undefined) return []
  const touched = pointers.filter(({ wanted, id }) => isTouched(wanted, id)(cluster))
  const since = clock.now().toISOString()
  for (const pointer of touched)
    await stores.commit([stores.selectors.addWork(workOf(pointer, cluster.id, noted, since))])
  return touched.map(({ id }) => ({ projectId, id }))
}
