import { useMark } from '../cluster/cluster.ts'
import { StateConflict } from '../errors.ts'
import { commitChange, launchChange } from '../federation/change-writes.ts'
import { deleteFederation } from '../federation/delete-federation.ts'
import type { Federation } from '../federation/federation.ts'
import { decideOn } from '../federation/federation-rules.ts'
import { planChange } from '../federation/plan-change.ts'
import type { TablePorts } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'
import { forgetEndedGrant } from './forget-grants.ts'
import { type Grant, type GrantUse, isLive } from './grant.ts'

/** What has a use end in the federation's project: nobody of that project asked for it. */
const asSystem = ({ caller: _, ...ports }: TablePorts): TablePorts => ports

/** Which cluster is to be left, and whether what can't be reached is skipped. */
type Leaving = { clusterId: string; force: boolean }

/** The unjoin as a PATCH of the federation begins it. False when the cluster is no member. @throws StateConflict while the federation is busy */
const unjoin = async (ports: TablePorts, seen: Federation, { clusterId, force }: Leaving): Promise<boolean> => {
  const driver = ports.drivers.federation.resolve(seen.driver)
  const plan = await decideOn(ports.stores, seen, async (federation) => {
    const memberships = await ports.stores.memberships.listOf(federation)
    const leave = memberships.filter((membership) => membership.clusterId === clusterId)
    const targets = { join: [], leave }
    const { drivers } = ports
    const input = { federation, memberships, targets, driver, drivers, elsewhere: new Map(), force }
    const decided = planChange(ports, input, null)
    if (decided !== null) await commitChange(ports, decided, driver, { identity: null })
    return decided
  })
  if (plan !== null) await launchChange(ports, plan)
  return plan !== null
}

/**
 * Ends the use of a cluster by one federation, in the federation's project, as its owner's right: a member is unjoined, and what has it as its host is
 * deleted.
 *
 * @returns false when the federation does not use it
 * @throws StateConflict while the federation is busy, or does so already
 */
export const endUse = async (
  given: TablePorts,
  { side, federationId, projectId }: Pick<GrantUse, 'side' | 'federationId' | 'projectId'>,
  leaving: Leaving,
): Promise<boolean> => {
  const ports = asSystem(given)
  const federation = await ports.stores.federations.get({ projectId, id: federationId })
  if (federation === undefined) return false
  if (side === 'member') return unjoin(ports, federation, leaving)
  await deleteFederation(ports, federation, { force: leaving.force })
  return true
}

/** Seconds after which an end that failed is begun again. */
const AGAIN_SECONDS = 3600

/** True while the use is ending, or failed to a short while ago. */
const isEnding = async (
  { stores, clock }: TablePorts,
  { clusterId }: Pick<Grant, 'clusterId'>,
  use: GrantUse,
): Promise<boolean> => {
  const { projectId, federationId, side } = use
  const isRecent = (time: string): boolean => clock.now().getTime() - Date.parse(time) < AGAIN_SECONDS * 1000
  if (side === 'member') {
    const membership = await stores.memberships.get({ projectId, federationId, clusterId })
    return membership?.state === 'Leaving' || (membership?.state === 'UnjoinFailed' && isRecent(membership.since))
  }
  const federation = await stores.federations.get({ projectId, id: federationId })
  const { status, updatedAt } = federation ?? {}
  return status === 'DELETE_IN_PROGRESS' || (status === 'DELETE_FAILED' && isRecent(updatedAt ?? ''))
}

/** A use by what is gone: nothing is left that could end it. */
const dropUse = ({ stores }: TablePorts, grant: Grant, use: GrantUse): Promise<void> => {
  const { projectId, clusterId: id } = grant
  const federation = { projectId: use.projectId, id: use.federationId }
  return stores.commit([
    stores.clusters.removeUses({ projectId, id }, [useMark(use.side, federation, projectId)]),
    stores.grants.removeUses(grant, [use]),
  ])
}

/** Begins the end of one use; a federation that is busy is left for the next time. */
const beginEnd = async (ports: TablePorts, grant: Grant, use: GrantUse): Promise<void> => {
  const { id: grantId, clusterId } = grant
  try {
    if (await isEnding(ports, grant, use)) return
    if (!(await endUse(ports, use, { clusterId, force: false }))) await dropUse(ports, grant, use)
  } catch (error) {
    if (!isAppError(error) || error.kind === 'internal') throw error
    const level = error instanceof StateConflict ? 'info' : 'warn'
    ports.log[level]('use of a grant not ended yet', { grantId, clusterId, ...use, error: error.name })
  }
}

/**
 * Follows up a grant that is over: what still uses the cluster by it begins to leave, and when nothing does it is removed. Safe at any time and however
 * often; the reconciler does it for whatever died in between.
 */
export const afterGrantEnd = async (
  ports: TablePorts,
  key: Pick<Grant, 'projectId' | 'clusterId' | 'id'>,
): Promise<void> => {
  const { stores } = ports
  const grant = await stores.grants.get(key)
  if (grant === undefined || isLive(grant, ports.clock.now().toISOString())) return
  for (const use of grant.uses) await beginEnd(ports, grant, use)
  await forgetEndedGrant(ports, key)
}
