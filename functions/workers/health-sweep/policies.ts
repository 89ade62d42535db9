import type { Federation } from '../../core/federation/federation.ts'
import { clustersOfMembers } from '../../core/grant/loans.ts'
import { followHealthPolicy } from '../../core/health-policy/follow.ts'
import { withMember } from '../../core/membership/member-context.ts'
import type { Membership } from '../../core/membership/membership.ts'
import { memberEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { isResting } from './members.ts'

type Cordoning = { ports: Ports; federation: Federation; membership: Membership; isCordoned: boolean }

/** Has the control plane do it. False when it is to be asked again. */
const atControlPlane = async ({ ports, federation, membership, isCordoned }: Cordoning): Promise<boolean> => {
  const driver = ports.drivers.federation.resolve(federation.driver)
  const cordon = driver.cordonMember?.bind(driver)
  const [cluster] = await clustersOfMembers(ports.stores, [membership])
  if (cordon === undefined || cluster === undefined) return !isCordoned
  return withMember(
    ports,
    { federation, cluster, membership },
    async (context) => (await cordon(context, isCordoned)).done,
  )
}

/** The membership without its cordon, or with one that is in force; undefined when that was decided otherwise meanwhile, or something runs on it. */
const after = (read: Membership | undefined, { membership, isCordoned }: Cordoning): Membership | undefined => {
  if (!isResting(read) || read.cordon?.since !== membership.cordon?.since) return undefined
  const { cordon, ...rest } = read
  if (!isCordoned) return rest
  return cordon && { ...rest, cordon: { ...cordon, isApplied: true } }
}

/** Notes that it is done. False when it is not to be so any more. */
const note = (cordoning: Cordoning): Promise<boolean> =>
  retryOnConflict(async () => {
    const { ports, membership, isCordoned } = cordoning
    const { memberships, commit } = ports.stores
    const read = await memberships.get(membership)
    const next = after(read, cordoning)
    if (read === undefined || next === undefined) return false
    await commit([
      memberships.replace(read, next),
      memberEvent(ports, read, {
        action: 'update',
        outcome: 'success',
        reason: isCordoned ? 'Cordoned' : 'Uncordoned',
        message: isCordoned
          ? `${read.memberName} takes no new workloads, since its cluster is unhealthy.`
          : `${read.memberName} takes new workloads again.`,
      }),
    ])
    return true
  })

/** What was put in force too late, as somebody decided otherwise meanwhile, is taken back. */
const put = async (cordoning: Cordoning): Promise<boolean> => {
  if (!(await atControlPlane(cordoning))) return false
  const isNoted = await note(cordoning)
  if (!isNoted && cordoning.isCordoned) await atControlPlane({ ...cordoning, isCordoned: false })
  return isNoted
}

/** A fault, of the host most likely, is of this member only, and tried again in a minute. */
const cordonOrLater = async (cordoning: Cordoning): Promise<boolean> => {
  try {
    return await put(cordoning)
  } catch (error) {
    const { ports, membership, isCordoned } = cordoning
    const { projectId, federationId, clusterId } = membership
    const reported = loggedError(error)
    ports.log.warn('member not cordoned', { projectId, federationId, clusterId, isCordoned, ...reported })
    return false
  }
}

/** Members leave and join again, and the control plane is told which take no new workloads. */
const followOne = async (ports: Ports, federation: Federation): Promise<boolean> => {
  const uncordon = await followHealthPolicy(ports, federation)
  const memberships = await ports.stores.memberships.listOf(federation)
  const going = new Set(uncordon.map(({ clusterId }) => clusterId))
  let isChanged = uncordon.length > 0
  for (const membership of memberships.filter(isResting)) {
    if (membership.cordon === undefined) continue
    const isCordoned = !going.has(membership.clusterId)
    if (isCordoned && membership.cordon.isApplied) continue
    if (await cordonOrLater({ ports, federation, membership, isCordoned })) isChanged = true
  }
  return isChanged
}

/** Follows a federation's health policy. A fault is logged, and keeps nobody from observing its control plane. */
export const sweepPolicy = async (
  ports: Ports,
  federation: Federation,
  report: { changed: number; failed: number },
): Promise<void> => {
  if (federation.healthPolicy === undefined) return
  try {
    if (await followOne(ports, federation)) report.changed += 1
  } catch (error) {
    report.failed += 1
    const { projectId, id: federationId } = federation
    const reported = loggedError(error)
    ports.log.error('health policy not followed', { projectId, federationId, ...reported })
  }
}
