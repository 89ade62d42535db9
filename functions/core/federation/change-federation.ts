import type { FederationDriver } from '../../drivers/contract/federation-driver.ts'
import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import { addedNamespaces, type NamespaceUse, requireNoEditors } from '../access/credential-namespaces.ts'
import { IN_OWN_PROJECT, notFound, StateConflict } from '../errors.ts'
import { clustersOfMembers, findUsed, hostKey, memberClusterKey, type UsedCluster } from '../grant/loans.ts'
import { isMember, type Membership } from '../membership/membership.ts'
import { aboutOf, namesElsewhere } from '../membership/membership-steps.ts'
import type { Membered, MembersInput, MemberTargets } from '../membership/plan-members.ts'
import type { DesiredWorkloads } from '../operation/operation.ts'
import type { Ports } from '../ports.ts'
import { matcherOf } from '../selector/member-selector.ts'
import { NO_SELECTION } from '../selector/selector.ts'
import { quote } from '../values/wording.ts'
import { commitChange, launchChange } from './change-writes.ts'
import type { Federation } from './federation.ts'
import {
  decideOn,
  type RequireUse,
  requireClearing,
  requireIntactOwn,
  requireRegisteredOnce,
  requireWorkloads,
  type Using,
} from './federation-rules.ts'
import { type ChangePlan, type ChangeProperties, planChange } from './plan-change.ts'

/** What is to become of a federation, and whether its caller may. */
export type DesiredChange = {
  /** Null: they stay. */
  properties: ChangeProperties | null
  /** Who is to join and to leave, of the federation as it is. @throws ObjectNotVisible, NameAmbiguous, InvalidRequest */
  members(membered: Membered): Promise<MemberTargets>
  /** Unjoins skip what can't be reached. */
  force: boolean
  /** What becomes of the workloads of those that leave. */
  workloads?: DesiredWorkloads
  requireUse: RequireUse
  /** @throws PolicyForbids */
  requireUnjoin(membership: Membership, using: Using): void
}

type Joining = Membered & { driver: FederationDriverDescription; joins: readonly UsedCluster[] }

/** Asks for nothing where everything is of one project. @throws StateConflict for a cluster that is in the federation under another registration */
export const requireOnceEach = async (
  stores: Ports['stores'],
  { federation, memberships, driver, joins }: Joining,
): Promise<void> => {
  const used = memberships.filter(isMember)
  const isLent =
    federation.hostLoan !== undefined ||
    [...joins.map(({ grant }) => grant), ...used.map(({ loan }) => loan)].some((it) => it !== undefined)
  if (joins.length === 0 || !isLent) return
  const [host, members] = await Promise.all([stores.clusters.get(hostKey(federation)), clustersOfMembers(stores, used)])
  if (host !== undefined) requireRegisteredOnce({ driver, host, joins, members })
}

/** The federation before its memberships: a membership that moves in between fails the commit by its own revision. */
const read = async (
  { stores, drivers }: Ports,
  federation: Federation,
  { force, workloads, members }: DesiredChange,
): Promise<MembersInput & { driver: FederationDriver }> => {
  const driver = drivers.federation.resolve(federation.driver)
  requireWorkloads(driver, workloads)
  const memberships = await stores.memberships.listOf(federation)
  const targets = await members({ federation, memberships })
  await requireIntactOwn(stores, targets.join)
  await requireOnceEach(stores, { federation, memberships, driver, joins: targets.join })
  const elsewhere = await namesElsewhere({ stores, drivers }, driver, federation.id, targets.join)
  return { federation, memberships, targets, driver, drivers, elsewhere, force, workloads }
}

/** @throws ObjectNotVisible */
const hostOf = async ({ stores }: Ports, federation: Federation): Promise<UsedCluster> => {
  const host = await findUsed(stores, federation, { ...hostKey(federation), loan: federation.hostLoan })
  if (host === undefined) throw notFound('Cluster', federation.hostClusterId, IN_OWN_PROJECT)
  return host
}

/** Clusters of the members that properties reach into: those that stay. One that is no longer registered gives nothing. */
const stayingClusters = async (
  { stores }: Ports,
  { federation, memberships }: MembersInput,
  { steps }: ChangePlan,
): Promise<UsedCluster[]> => {
  const leaving = new Set(steps.flatMap((step) => (step.kind === 'join' ? [] : [step.before.clusterId])))
  const staying = memberships.filter(({ clusterId }) => !leaving.has(clusterId))
  const own = await clustersOfMembers(
    stores,
    staying.filter(({ loan }) => loan === undefined),
  )
  const lent = staying.filter((membership) => membership.loan !== undefined && isUsed(membership))
  const found = await Promise.all(
    lent.map((it) => findUsed(stores, federation, { ...memberClusterKey(it), loan: it.loan })),
  )
  return [...own, ...found.filter((cluster) => cluster !== undefined)]
}

/** False for one that is on its way out, which needs nobody's consent, or never got in. */
const isUsed = ({ state }: Membership): boolean => state !== 'Leaving' && state !== 'JoinFailed'

type Decision = { input: MembersInput & { driver: FederationDriver }; plan: ChangePlan; host: UsedCluster | null }

/**
 * Asks for what the change takes in clusters. Properties decide what runs in the host and with which rights in the members, so that changing them
 * is using all of them anew.
 *
 * @throws PolicyForbids, and ItemAltered where somebody else wrote what the rules are asked about; unjoins ask nothing of the cluster unless they delete workloads, so that a member can always leave
 */
const requireUses = async (
  ports: Ports,
  { requireUse, requireUnjoin }: DesiredChange,
  { input, plan, host }: Decision,
): Promise<void> => {
  for (const membership of input.targets.leave) requireUnjoin(membership, input)
  if (input.workloads === 'delete') {
    const leaving = plan.steps.flatMap((step) => (step.kind === 'unjoin' ? [step.before] : []))
    await requireClearing(ports, requireUse, { ...input, leaving })
  }
  if (input.targets.join.length === 0 && host === null) return
  const { federation, driver } = input
  const { integrity } = ports.stores
  await integrity.requireFederation(federation)
  const using = { driver, federation: { ...federation, ...plan.update } }
  for (const cluster of input.targets.join) requireUse(cluster, 'member', { ...using, joins: true })
  if (host === null) return
  const staying = await stayingClusters(ports, input, plan)
  await requireIntactOwn(ports.stores, [host, ...staying])
  requireUse(host, 'host', using)
  for (const cluster of staying) requireUse(cluster, 'member', using)
}

/** Id of the update of properties that runs on a federation. */
const updateOf = ({ operation }: Federation): string | null => (operation?.kind === 'update' ? operation.id : null)

/**
 * A change of properties replaces the update that its caller could know of, and no other: of two at once the second would undo the first unseen.
 *
 * @throws StateConflict
 */
const requireSameUpdate = (federation: Federation, seen: Federation): void => {
  if (updateOf(federation) === null || updateOf(federation) === updateOf(seen)) return
  throw new StateConflict(
    `Federation ${quote(federation.name)} (${federation.id}): Another request began to change its properties at the same time. Check them, and send yours again if they are not as you want them.`,
  )
}

type Asked = { desired: DesiredChange; seen: Federation }

/** A selected member that somebody removes is not selected again until it is added: then the selector has it back where it matches. */
const besideSelector = (plan: ChangePlan): ChangePlan => {
  const { memberSelector, selection } = plan.federation
  if (!memberSelector) return plan
  const { id, wanted } = memberSelector
  const matches = matcherOf(wanted)
  const joined = plan.steps.flatMap((step) => (step.kind === 'join' ? [step.cluster.id] : []))
  const before = (selection ?? NO_SELECTION).excluded
  const removed = plan.steps.flatMap((step) =>
    step.kind !== 'join' && step.before.selectedBy === id ? [step.before.clusterId] : [],
  )
  const excluded = [...new Set([...before.filter((it) => !joined.includes(it)), ...removed])].sort()
  const steps = plan.steps.map((step) =>
    step.kind === 'join' && before.includes(step.cluster.id) && matches(step.cluster)
      ? { ...step, next: { ...step.next, selectedBy: id } }
      : step,
  )
  return { ...plan, steps, update: { ...plan.update, selection: { ...(selection ?? NO_SELECTION), excluded } } }
}

/** What somebody has join or leave is no longer the health policy's to bring back. */
const besidePolicy = (plan: ChangePlan): ChangePlan => {
  const { leftUnhealthy = [] } = plan.federation
  const touched = new Set(plan.steps.map((step) => aboutOf(step).clusterId))
  const rest = leftUnhealthy.filter(({ clusterId }) => !touched.has(clusterId))
  return rest.length === leftUnhealthy.length ? plan : { ...plan, update: { ...plan.update, leftUnhealthy: rest } }
}

/** What changed properties take in the host; null when they stay. */
const namespaceUse = ({ input: { driver, federation }, plan, host }: Decision): NamespaceUse | null => {
  const { properties } = plan.update
  if (host === null || properties === undefined) return null
  return { host, driver, id: federation.id, properties, before: federation.properties }
}

/**
 * More namespaces of the host are taken only while nobody was let into them since that was asked.
 *
 * @throws StateConflict where the host joins with it: that is another write of the same cluster
 */
const hostAsRead = ({ stores }: Ports, decision: Decision): Write[] => {
  const use = namespaceUse(decision)
  if (use === null || addedNamespaces(use).length === 0) return []
  if (decision.plan.steps.every((step) => aboutOf(step).clusterId !== use.host.id)) {
    return [stores.clusters.change(use.host, {})]
  }
  throw new StateConflict(
    'The properties ask for more namespaces of the host, which joins or leaves in the same request. Send these in two requests.',
  )
}

/** Reads and decides; `decision` is null when there is nothing to do. @throws the refusals of the rules */
const judge = async (ports: Ports, federation: Federation, { desired, seen }: Asked) => {
  const input = await read(ports, federation, desired)
  const planned = planChange(ports, input, desired.properties)
  const plan = planned && besidePolicy(besideSelector(planned))
  if (plan === null) return { input, decision: null }
  if (plan.operation) requireSameUpdate(federation, seen)
  // Only properties have to do with the host: they decide what runs there, and may ask for namespaces.
  const host = plan.operation === null ? null : await hostOf(ports, federation)
  const decision: Decision = { input, plan, host }
  await requireUses(ports, desired, decision)
  const use = namespaceUse(decision)
  if (use !== null) await requireNoEditors(ports, use)
  return { input, decision }
}

const decide = async (ports: Ports, federation: Federation, asked: Asked): Promise<ChangePlan | null> => {
  const { decision } = await judge(ports, federation, asked)
  if (decision === null) return null
  const { input, host } = decision
  const plan = { ...decision.plan, writes: [...(decision.plan.writes ?? []), ...hostAsRead(ports, decision)] }
  await commitChange(ports, plan, input.driver, host ?? { identity: null })
  return plan
}

/** What a change would do, decided and allowed; `plan` is null when it would do nothing. Nothing is changed. */
export const previewChange = async (ports: Ports, federation: Federation, desired: DesiredChange) => {
  const { input, decision } = await judge(ports, federation, { desired, seen: federation })
  return { input, plan: decision?.plan ?? null, host: decision?.host ?? (await hostOf(ports, federation)) }
}

/**
 * Joins, unjoins and properties, all of them in one transaction or none, and begins their flows. Two changes at once both count: the later
 * one decides again on what the earlier one left. Of two that change properties at once one is refused; one that comes later takes the
 * place of the update that runs (decision 0023).
 *
 * @param seen the federation as its caller read it
 * @returns what began; null when there is nothing to do
 * @throws the refusals of the rules
 */
export const changeFederation = async (
  ports: Ports,
  seen: Federation,
  desired: DesiredChange,
): Promise<ChangePlan | null> => {
  const plan = await decideOn(ports.stores, seen, (federation) => decide(ports, federation, { desired, seen }))
  if (plan !== null) await launchChange(ports, plan)
  return plan
}
