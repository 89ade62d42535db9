import type { Write } from '../../store/write.ts'
import { requireNoEditors } from '../access/credential-namespaces.ts'
import { markUses, type UsedCluster } from '../grant/loans.ts'
import { mapLimited } from '../map-limited.ts'
import { namesElsewhere } from '../membership/membership-steps.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { selectorWrites } from '../selector/set-selector.ts'
import type { Principal } from '../values/identity.ts'
import { createWithHost, deadlineWithHost, requireMembersFitBesideHost } from './created-host.ts'
import {
  type RequireUse,
  requireChangesFit,
  requireDistinct,
  requireHostMayJoin,
  requireIntactOwn,
  requireLoansFit,
  requireReachableKind,
  requireRegisteredOnce,
  requireUsable,
} from './federation-rules.ts'
import {
  type DesiredFederation,
  type FederationPlan,
  type NewFederation,
  namespaceClaims,
  newFederation,
  usesOf,
  waitingMemberships,
} from './new-federation.ts'
import { checkProperties } from './properties.ts'

/** What the rules ask of the edge: which cluster is meant, and whether the caller may use it. */
export type CreateRules = {
  /** @throws ObjectNotVisible, NameAmbiguous */
  findCluster(ident: string, side: 'host' | 'member'): Promise<UsedCluster>
  requireUse: RequireUse
}

type Clusters = Pick<NewFederation, 'host' | 'newHost' | 'members'>

const checkClusters = (
  ports: Pick<Ports, 'drivers'>,
  { driver, host, newHost, members }: Clusters & Pick<NewFederation, 'driver'>,
): void => {
  if (newHost === null) requireUsable(host, 'host')
  const asNew = newHost ? `The host cluster that ${host.driver} would create` : undefined
  requireReachableKind(driver, ports.drivers, host, asNew)
  requireDistinct(members, '"member_ids"')
  for (const cluster of members) {
    requireHostMayJoin(driver, host.id, cluster)
    requireUsable(cluster, 'member')
    requireReachableKind(driver, ports.drivers, cluster)
  }
}

const findClusters = async (
  { stores }: Pick<Ports, 'stores'>,
  { host: desired, members: idents }: DesiredFederation,
  { findCluster }: CreateRules,
): Promise<Clusters> => {
  requireChangesFit(idents.length)
  const newHost = typeof desired === 'string' ? null : desired
  if (newHost) requireMembersFitBesideHost(idents.length)
  const host = typeof desired === 'string' ? await findCluster(desired, 'host') : desired.planned.cluster
  const members = await mapLimited(idents, (ident) => findCluster(ident, 'member'))
  await requireIntactOwn(stores, newHost ? members : [host, ...members])
  return { host, newHost, members }
}

/** Decides what a create makes. @throws the refusals of the rules; nothing is changed */
export const planFederation = async (
  ports: Ports,
  principal: Principal,
  desired: DesiredFederation,
  rules: CreateRules,
): Promise<FederationPlan> => {
  const { projectId, userId } = principal
  const { properties } = desired
  const driver = ports.drivers.federation.choose(desired.driver ?? ports.drivers.federation.default)
  checkProperties(driver, properties)
  const clusters = await findClusters(ports, desired, rules)
  const using = { driver, federation: { projectId, userId, properties } }
  rules.requireUse(clusters.host, 'host', using)
  for (const cluster of clusters.members) rules.requireUse(cluster, 'member', { ...using, joins: true })
  checkClusters(ports, { driver, ...clusters })
  requireLoansFit(clusters.members)
  requireRegisteredOnce({ driver, host: clusters.host, joins: clusters.members, members: [] })
  const { newHost } = clusters
  const deadlineSeconds = newHost ? deadlineWithHost(newHost) : DEADLINE_SECONDS['federation-create']
  const operation = newOperation(ports, 'create', { deadlineSeconds })
  const id = ports.newId()
  if (!newHost) await requireNoEditors(ports, { host: clusters.host, driver, id, properties })
  const elsewhere = await namesElsewhere(ports, driver, id, clusters.members)
  const ids = { id, changeId: ports.newId(), selectorId: ports.newId() }
  const given = { ...ids, principal, driver, operation, elsewhere, ...clusters }
  const federation = newFederation(desired, given)
  return { given, federation, memberships: waitingMemberships(federation, given) }
}

const writesOf = (ports: Ports, { given, federation, memberships }: FederationPlan): Write[] => {
  const { stores } = ports
  const said = {
    action: 'create',
    outcome: 'pending',
    reason: 'Requested',
    message: `Federation ${federation.name} is being created on ${given.newHost ? 'the new cluster' : 'cluster'} ${given.host.name}.`,
  } as const
  return [
    stores.federations.insert(federation),
    ...selectorWrites(ports, federation),
    ...memberships.map((membership) => stores.memberships.insert(membership)),
    ...usesOf(given).flatMap(({ cluster, uses }) => markUses(stores, federation, cluster, uses)),
    ...namespaceClaims(stores, given.host, federation, given.driver.hostNamespaces(federation)),
    ownerEvent(ports, 'federation', { ...federation, revision: 0 }, said),
  ]
}

/**
 * Creates a federation: it, its memberships and its marks on the clusters come into being in one transaction, and its flow begins. A new host is
 * in the same transaction; its own flow creates it, for which the federation's waits.
 *
 * @param remember more writes for the same transaction
 * @throws the refusals of the rules
 */
export const createFederation = async (
  ports: Ports,
  principal: Principal,
  desired: DesiredFederation,
  { remember = () => [], ...rules }: CreateRules & { remember?: (id: string) => Write[] },
): Promise<FederationPlan> => {
  const plan = await retryOnConflict(async () => {
    const planned = await planFederation(ports, principal, desired, rules)
    const { newHost } = planned.given
    const writes = [...writesOf(ports, planned), ...remember(planned.federation.id)]
    if (newHost) await createWithHost(ports, newHost, planned.federation, writes)
    else await ports.stores.commit(writes)
    return planned
  })
  const { projectId, id } = plan.federation
  await launch(ports, { flow: 'federation-create', projectId, entityId: id, operation: plan.given.operation })
  return plan
}
