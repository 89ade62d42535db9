import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { SelectorWork } from '../../store/selector.store.ts'
import type { Write } from '../../store/write.ts'
import { requireOnceEach } from '../federation/change-federation.ts'
import { commitChange, launchChange } from '../federation/change-writes.ts'
import { CONTROL_PLANE_READY, type Federation } from '../federation/federation.ts'
import {
  requireHostMayJoin,
  requireIntactOwn,
  requireReachableKind,
  requireUsable,
} from '../federation/federation-rules.ts'
import { planChange } from '../federation/plan-change.ts'
import type { UsedCluster } from '../grant/loans.ts'
import { type MembershipStep, namesElsewhere } from '../membership/membership-steps.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'
import { isConditionTrue } from '../values/status.ts'
import { type Decided, decideSelection, type Followed } from './decide.ts'
import { matcherOf } from './member-selector.ts'
import { type FederationKey, isTouched, workOf } from './note.ts'
import { type MemberSelector, NO_SELECTION } from './selector.ts'

/** Clusters of a page of all: each may be a write, and the page itself is one. */
const PAGE = 90

/** Notes those of a page of all clusters that selector and membership disagree about. */
const scanPage = async (
  ports: TablePorts,
  scan: SelectorWork,
  { id, wanted }: { id: string } & Pick<MemberSelector, 'wanted'>,
) => {
  const { clusters, selectors, commit } = ports.stores
  const { projectId, marker, noted, since } = scan
  const page = await clusters.list(projectId, { limit: PAGE, ...(marker === null ? {} : { marker }) })
  const touched = page.items.filter(isTouched(wanted, id))
  const last = page.items.at(-1)
  await commit([
    page.more && last !== undefined ? selectors.moveWork(scan, last.id) : selectors.removeWork(scan),
    ...touched.map((cluster) => selectors.addWork(workOf({ projectId, id }, cluster.id, noted, since))),
  ])
}

type Following = { federation: Federation; selector: MemberSelector; work: readonly SelectorWork[] }

/** Why a cluster can't join is no fault of the others: its next event has it asked again. False is logged. */
export const mayJoin = async (
  ports: TablePorts,
  joining: Parameters<typeof requireOnceEach>[1],
  cluster: UsedCluster,
): Promise<boolean> => {
  try {
    requireHostMayJoin(joining.driver, joining.federation.hostClusterId, cluster)
    requireUsable(cluster, 'member')
    requireReachableKind(joining.driver, ports.drivers, cluster)
    await requireIntactOwn(ports.stores, [cluster])
    await requireOnceEach(ports.stores, { ...joining, joins: [cluster] })
    return true
  } catch (error) {
    if (!isAppError(error) || error.kind === 'unavailable') throw error
    ports.log.info('cluster can not join by itself', {
      clusterId: cluster.id,
      federationId: joining.federation.id,
      error: error.name,
      message: error.message,
    })
    return false
  }
}

const readFollowed = async (ports: TablePorts, { federation, selector, work }: Following): Promise<Followed> => {
  const { stores, drivers, clock } = ports
  const driver: FederationDriverDescription = drivers.federation.resolve(federation.driver)
  const ids = work.flatMap(({ clusterId }) => clusterId ?? [])
  const memberships = await stores.memberships.listOf(federation)
  const clusters = new Map((await stores.clusters.getMany(federation.projectId, ids)).map((it) => [it.id, it]))
  const members = new Set(memberships.filter(({ state }) => state !== 'JoinFailed').map(({ clusterId }) => clusterId))
  const matches = matcherOf(selector.wanted)
  const able = new Set<string>()
  for (const cluster of clusters.values()) {
    if (members.has(cluster.id) || !matches(cluster)) continue
    if (await mayJoin(ports, { federation, memberships, driver, joins: [] }, cluster)) able.add(cluster.id)
  }
  return {
    federation,
    selector,
    memberships,
    driver,
    work,
    clusters,
    mayJoin: ({ id }) => able.has(id),
    now: clock.now(),
  }
}

const removals = ({ stores }: TablePorts, work: readonly SelectorWork[]): Write[] =>
  work.map((it) => stores.selectors.removeWork(it))

/** Takes away what there is nothing to do for. */
const forget = async (ports: TablePorts, work: readonly SelectorWork[]): Promise<void> => {
  for (let at = 0; at < work.length; at += PAGE) await ports.stores.commit(removals(ports, work.slice(at, at + PAGE)))
}

const marked = (step: MembershipStep, selectedBy: string): MembershipStep =>
  step.kind === 'join' ? { ...step, next: { ...step.next, selectedBy } } : step

/** Carries out what was decided: memberships, and the work that they were noted as, in one transaction. */
const act = async (ports: TablePorts, followed: Followed, decided: Decided): Promise<void> => {
  const { memberships, driver, selector } = followed
  const { selection, conditions, join, leave } = decided
  const federation = { ...followed.federation, conditions }
  const elsewhere = await namesElsewhere(ports, driver, federation.id, join)
  const targets = { join, leave }
  const input = { federation, memberships, targets, driver, drivers: ports.drivers, elsewhere, force: false }
  const plan = planChange(ports, input, null)
  if (plan === null) return
  const whole = {
    ...plan,
    steps: plan.steps.map((step) => marked(step, selector.id)),
    update: { ...plan.update, selection },
    writes: removals(ports, decided.acted),
  }
  await commitChange(ports, whole, driver, { identity: null })
  await launchChange(ports, whole)
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** One transaction of what there is to do. @returns whether there is more */
const step = async (ports: TablePorts, following: Following): Promise<boolean> => {
  const { federation } = following
  const followed = await readFollowed(ports, following)
  const decided = decideSelection(followed)
  await forget(ports, decided.done)
  const { selection, conditions } = decided
  if (decided.acted.length > 0) await act(ports, followed, decided)
  else if (conditions !== federation.conditions || !isSame(selection, federation.selection ?? NO_SELECTION))
    await ports.stores.commit([ports.stores.federations.change(federation, { selection, conditions })])
  return decided.more
}

/** Until then nobody joins by itself: what waits is found again when the federation tells of its next change, and each minute. */
export const isReady = ({ operation, conditions }: Federation): boolean =>
  operation?.kind !== 'create' && isConditionTrue(conditions, CONTROL_PLANE_READY)

const round = async (ports: TablePorts, key: FederationKey): Promise<boolean> => {
  const { federations, selectors, integrity } = ports.stores
  const work = await selectors.workOf(key)
  if (work.length === 0) return false
  const federation = await federations.get(key)
  const selector = federation?.memberSelector ?? null
  if (federation === undefined || selector === null || federation.status.startsWith('DELETE_')) {
    await forget(ports, work)
    return false
  }
  if (!isReady(federation)) return false
  await integrity.requireFederation(federation)
  const scan = work.find(({ clusterId }) => clusterId === null)
  if (scan === undefined) return step(ports, { federation, selector, work })
  await scanPage(ports, scan, { id: federation.id, wanted: selector.wanted })
  return true
}

/**
 * Does what a federation's selector asks for, as far as it may now. Whoever does it at the same time meets the federation's revision, and decides
 * again.
 */
export const followSelector = async (ports: TablePorts, key: FederationKey): Promise<void> => {
  let more = true
  while (more) more = await retryOnConflict(() => round(ports, key))
}
