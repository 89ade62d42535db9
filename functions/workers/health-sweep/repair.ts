import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { beginRepair } from '../../core/membership/begin-operation.ts'
import { withMember } from '../../core/membership/member-context.ts'
import { type Membership, REPAIR_REFUSED } from '../../core/membership/membership.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import type { FederationObservation } from '../../drivers/contract/federation-driver.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { FederationKey, MembershipKey } from '../../store/federation.store.ts'
import { isResting, memberOf } from './members.ts'
import type { RestingMembership } from './verdict.ts'

/** Milliseconds until a repair that was refused is tried again. */
const AGAIN_MS = 600_000

/** A repair that was refused is not tried at each look. */
const isToBeTried = ({ clock }: Ports, membership: RestingMembership): boolean =>
  membership.reason !== REPAIR_REFUSED || clock.now().getTime() - Date.parse(membership.since) >= AGAIN_MS

const repairOne = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  const { projectId, id: federationId } = key
  const membership = await ports.stores.memberships.get({ projectId, federationId, clusterId: cluster.id })
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || !isResting(membership) || !isToBeTried(ports, membership)) return false
  const driver = ports.drivers.federation.resolve(federation.driver)
  const observe = driver.observeMade?.bind(driver)
  if (observe === undefined) return false
  const found = await withMember(ports, { federation, cluster, membership }, observe)
  // A refusal ends with a repair that has nothing to make.
  const words = found.length === 0 && membership.reason === REPAIR_REFUSED ? [membership.repair ?? ''] : found
  if (words.length === 0) return false
  await beginRepair(ports, membership, words)
  return true
}

/** Has a resting member made again, for what its control plane says. */
const repairFor = async (ports: Ports, key: MembershipKey, found: string): Promise<boolean> => {
  const membership = await ports.stores.memberships.get(key)
  if (!isResting(membership) || !isToBeTried(ports, membership)) return false
  await beginRepair(ports, membership, [found])
  return true
}

const foundIn = (
  { fault, members }: FederationObservation,
  { clusterId, memberName }: Membership,
): string | undefined => {
  const said = members.get(clusterId)
  if (said?.state === 'not-ready' && said.isRepairable) return said.message
  const isAbsent = said?.state === 'absent' || (said === undefined && fault === null)
  return isAbsent ? `The control plane does not know ${memberName}.` : undefined
}

/** Has members made again that their control plane does not know any more, or for which it says that something is missing. */
export const repairObserved = async (
  ports: Ports,
  members: readonly RestingMembership[],
  seen: FederationObservation,
): Promise<void> => {
  for (const member of members) {
    const found = foundIn(seen, member)
    if (found === undefined) continue
    try {
      await repairFor(ports, member, found)
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error
    }
  }
}

/** As `repairOne`. What keeps it, a host that is away most likely, is logged, and concerns this federation only. */
const repairOrLater = async (ports: Ports, cluster: Cluster, key: FederationKey): Promise<boolean> => {
  try {
    return await repairOne(ports, cluster, key)
  } catch (error) {
    // Something began on it, and tells for itself.
    if (error instanceof RevisionConflict) return false
    const reported = loggedError(error)
    ports.log.warn('what was made for a member not observed', { ...key, clusterId: cluster.id, ...reported })
    return false
  }
}

/**
 * Observes what was made for a member in host and member, and has made again what somebody deleted or changed. For clusters whose API is well: of others
 * nothing could be made.
 *
 * @returns true when a repair has begun
 */
export const repairMember = async (ports: Ports, cluster: Cluster, seen: ClusterObservation): Promise<boolean> => {
  if (seen.healthStatus === 'UNHEALTHY' || seen.healthReason.api !== 'ok') return false
  let isBegun = false
  for (const key of memberOf(cluster)) if (await repairOrLater(ports, cluster, key)) isBegun = true
  return isBegun
}
