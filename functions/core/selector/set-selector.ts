import { rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type Federation, SELECTOR_FOLLOWED, SELECTOR_HELD } from '../federation/federation.ts'
import { decideOn } from '../federation/federation-rules.ts'
import { isMember } from '../membership/membership.ts'
import type { TablePorts } from '../ports.ts'
import { matcherOf, mayBeSelected } from './member-selector.ts'
import { type Commands, requireThere, tellOf } from './release-selector.ts'
import { type MemberSelector, NO_SELECTION } from './selector.ts'

/** A selector as somebody sets it. */
export type DesiredSelector = Omit<MemberSelector, 'id'>

/** What finds a new selector, and has all clusters held against it. Goes into the commit that stores it. */
export const selectorWrites = (
  { stores, clock, newId }: Pick<TablePorts, 'stores' | 'clock' | 'newId'>,
  { projectId, id, memberSelector }: Pick<Federation, 'projectId' | 'id' | 'memberSelector'>,
): Write[] => {
  if (!memberSelector) return []
  const since = clock.now().toISOString()
  const scan = { projectId, federationId: id, clusterId: null, noted: newId(), marker: null, since }
  return [stores.selectors.put({ projectId, id, wanted: memberSelector.wanted }), stores.selectors.addWork(scan)]
}

const set = async (ports: Commands, federation: Federation, desired: DesiredSelector): Promise<void> => {
  const { stores, newId, clock } = ports
  const memberSelector = { ...desired, id: federation.memberSelector?.id ?? newId() }
  const selection = { ...(federation.selection ?? NO_SELECTION), held: null, isReleased: false }
  const updatedAt = clock.now().toISOString()
  await stores.commit([
    stores.federations.change(federation, { memberSelector, selection, updatedAt }),
    ...selectorWrites(ports, { ...federation, memberSelector }),
    tellOf(ports, federation, 'SelectorSet', 'Members are selected from now on.'),
  ])
}

/** Its members stay: from then on they are nobody's but those of who changes the federation. */
const remove = async (ports: Commands, federation: Federation): Promise<void> => {
  const { stores, clock } = ports
  if (!federation.memberSelector) return
  const conditions = federation.conditions.filter(({ type }) => type !== SELECTOR_HELD && type !== SELECTOR_FOLLOWED)
  const updatedAt = clock.now().toISOString()
  await stores.commit([
    stores.federations.change(federation, { memberSelector: null, selection: null, conditions, updatedAt }),
    stores.selectors.remove(federation),
    tellOf(ports, federation, 'SelectorRemoved', 'Members are selected no longer. Those that are stay.'),
  ])
}

/** Sets a federation's selector, or takes it away. @throws StateConflict while the federation is being deleted */
export const setSelector = (ports: Commands, seen: Federation, desired: DesiredSelector | null): Promise<void> =>
  decideOn(ports.stores, seen, async (federation) => {
    requireThere(federation)
    await (desired === null ? remove(ports, federation) : set(ports, federation, desired))
  })

/** Clusters that a selector would have join and leave. */
export type SelectorPreview = { join: Cluster[]; leave: Cluster[] }

/** Clusters that are read at a time. */
const PAGE = 100

/** What a selector would do once all is followed. Changes nothing. @param federation as it is; without `id` one that is not there yet */
export const previewSelector = async (
  { stores, drivers }: Pick<TablePorts, 'stores' | 'drivers'>,
  federation: Pick<Federation, 'projectId' | 'driver' | 'properties' | 'hostClusterId'> &
    Partial<Pick<Federation, 'id' | 'memberSelector' | 'selection' | 'leftUnhealthy'>>,
  desired: DesiredSelector,
): Promise<SelectorPreview> => {
  const { projectId, id } = federation
  const driver = drivers.federation.resolve(federation.driver)
  const rights = rightsTaken(driver, federation.properties)
  const memberships = id === undefined ? [] : await stores.memberships.listOf({ projectId, id })
  const members = new Map(memberships.filter(isMember).map((it) => [it.clusterId, it]))
  const left = new Set(federation.leftUnhealthy?.map(({ clusterId }) => clusterId))
  const excluded = new Set(federation.selection?.excluded)
  const matches = matcherOf(desired.wanted)
  const isWanted = (it: Cluster): boolean => matches(it) && !excluded.has(it.id)
  const mayBe = (it: Cluster): boolean =>
    mayBeSelected(desired, it, rights) && (it.id !== federation.hostClusterId || driver.capabilities.hostAsMember)
  const preview: SelectorPreview = { join: [], leave: [] }
  for (let marker: string | undefined, more = true; more; ) {
    const page = await stores.clusters.list(projectId, { limit: PAGE, ...(marker === undefined ? {} : { marker }) })
    preview.join.push(
      ...page.items.filter((it) => isWanted(it) && !members.has(it.id) && !left.has(it.id) && mayBe(it)),
    )
    const isOurs = ({ id: clusterId }: Cluster): boolean =>
      federation.memberSelector != null && members.get(clusterId)?.selectedBy === federation.memberSelector.id
    preview.leave.push(...page.items.filter((it) => !isWanted(it) && isOurs(it)))
    marker = page.items.at(-1)?.id
    more = page.more && marker !== undefined
  }
  return preview
}
