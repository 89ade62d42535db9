import { isDeepStrictEqual } from 'node:util'
import {
  CONTROL_PLANE_READY,
  type ControlPlaneObservation,
  type Federation,
  isInitialized,
} from '../../core/federation/federation.ts'
import { federationContext, hostAccess } from '../../core/federation/federation-context.ts'
import { refreshMembersReady, saysMembersReady } from '../../core/federation/settle.ts'
import type { Fault } from '../../core/membership/member-fault.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError, loggedError } from '../../core/values/app-error.ts'
import { type Condition, isConditionTrue, withCondition } from '../../core/values/status.ts'
import { WHOLE_SWEEP } from '../../core/values/workers.ts'
import type { FederationDriver, FederationObservation } from '../../drivers/contract/federation-driver.ts'
import { CONTROL_PLANE_SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import type { FederationKey } from '../../store/federation.store.ts'
import { inShares } from '../in-shares.ts'
import { isResting, messageOf, moveDegraded, moveObserved } from './members.ts'
import { sweepPolicy } from './policies.ts'
import { repairObserved } from './repair.ts'
import { isMinuteOf, minuteOf } from './verdict.ts'

/** True when it is up and rests: an operation of its own may well take it down for a while, and says so itself. */
const isWatched = (federation: Federation): boolean =>
  isInitialized(federation) && federation.operation === null && !federation.status.startsWith('DELETE_')

const conditionOf = ({ conditions }: Federation): Condition | undefined =>
  conditions.find(({ type }) => type === CONTROL_PLANE_READY)

/** True when the observation before saw the same: well, or a fault of whatever kind. A control plane that was never checked had none. */
const isConfirmed = ({ observation }: Federation, fault: Fault | null): boolean =>
  ((observation?.fault ?? null) === null) === (fault === null)

/** True when the condition says this already. A message that changes alone is no news. */
const isReported = (condition: Condition | undefined, fault: Fault | null): boolean =>
  fault === null ? condition?.status === 'True' : condition?.status === 'False' && condition.reason === fault.reason

const WELL: Fault = { reason: 'Healthy', message: 'The control plane is up.' }

/**
 * Takes an observation to the condition ControlPlaneReady, once two observations agree. True when that changed something.
 */
const moveControlPlane = async (ports: Ports, seen: Federation, fault: Fault | null): Promise<boolean> => {
  if (!isConfirmed(seen, fault)) return false
  return retryOnConflict(async () => {
    const federation = await ports.stores.federations.get(seen)
    if (federation === undefined || !isWatched(federation) || isReported(conditionOf(federation), fault)) return false
    const said = fault ?? WELL
    const conditions = withCondition(federation.conditions, {
      type: CONTROL_PLANE_READY,
      status: fault === null ? 'True' : 'False',
      ...said,
      observedRevision: federation.revision + 1,
      changedAt: ports.clock.now().toISOString(),
    })
    await ports.stores.commit([
      ports.stores.federations.change(federation, { conditions }),
      ownerEvent(ports, 'federation', federation, {
        action: 'update',
        outcome: fault === null ? 'success' : 'failure',
        notify: false,
        ...(fault ?? {
          reason: 'ControlPlaneHealthy',
          message: `The control plane of ${federation.name} is healthy again.`,
        }),
      }),
    ])
    return true
  })
}

/** Milliseconds for one observation: the sweep has a minute for all, and single calls end by themselves. */
const OBSERVE_TIMEOUT_MS = 20_000

const withFault = (reason: string, message: string): FederationObservation => ({
  fault: { reason, message },
  members: new Map(),
})

const late = (): { answer: Promise<FederationObservation>; cancel(): void } => {
  const { promise, resolve } = Promise.withResolvers<FederationObservation>()
  const reported = withFault(
    'ObservationTimedOut',
    `The control plane could not be checked within ${OBSERVE_TIMEOUT_MS / 1000} s.`,
  )
  const timer = setTimeout(() => resolve(reported), OBSERVE_TIMEOUT_MS)
  return { answer: promise, cancel: () => clearTimeout(timer) }
}

/** One observation of a federation. A fault that is thrown, of the host most likely, is a fault of the control plane; ours are thrown on. */
const observeControlPlane = async (
  ports: Ports,
  federation: Federation,
  observe: NonNullable<FederationDriver['observe']>,
): Promise<FederationObservation> => {
  const { projectId } = federation
  const connect = connectWithin(ports.connect, { ...CONTROL_PLANE_SWEEP_LIMITS, projectId })
  const host = await hostAccess({ ...ports, connect }, federation)
  const limit = late()
  try {
    return await Promise.race([observe(federationContext(ports, federation, host)), limit.answer])
  } catch (error) {
    if (!isAppError(error) || error.kind === 'internal') throw error
    return withFault(error.name, error.message)
  } finally {
    limit.cancel()
    host.close()
  }
}

/** Control planes checked in parallel: an observation is several calls, and hosts carry many federations. */
const PARALLEL_MAX = 20

/** Of these, of one project. */
const PROJECT_PARALLEL_MAX = 5

/** Milliseconds of observations of one project in a run: twelve hosts that hang until their 20 s are over. */
const PROJECT_BUDGET_MS = 240_000

/** What one run did to federations. */
export type ControlPlaneReport = { looked: number; changed: number; failed: number; putOff: number }

const isWell = ({ conditions, observation }: Federation): boolean =>
  isConditionTrue(conditions, CONTROL_PLANE_READY) &&
  observation !== null &&
  observation.fault === null &&
  Object.keys(observation.members).length === 0

/** Those in which all is well each fifth minute, all others each minute. */
const isDue = (federation: Federation, now: Date): boolean => !isWell(federation) || isMinuteOf(federation.id, now)

const differs = (stored: ControlPlaneObservation | null, observed: ControlPlaneObservation): boolean =>
  stored === null || !isDeepStrictEqual({ ...stored, observedAt: '' }, { ...observed, observedAt: '' })

/**
 * True when something changed. What follows from an observation is stored before the observation itself: a crash in between has it made again. The members are
 * read before: one that comes to rest meanwhile may not have been known yet to the control plane.
 */
const sweepOne = async (ports: Ports, federation: Federation): Promise<boolean> => {
  const driver = ports.drivers.federation.resolve(federation.driver)
  const { observe } = driver
  if (observe === undefined) return false
  const memberships = await ports.stores.memberships.listOf(federation)
  const members = memberships.filter(isResting)
  const seen = await observeControlPlane(ports, federation, (context) => observe.call(driver, context))
  const observed: ControlPlaneObservation = {
    observedAt: ports.clock.now().toISOString(),
    fault: seen.fault?.reason ?? null,
    members: messageOf(federation.observation, members, seen),
  }
  const isMoved = await moveControlPlane(ports, federation, seen.fault)
  const areMoved = await moveObserved(ports, federation, { members, seen, observed })
  if (!areMoved && !saysMembersReady(federation, memberships, ports.clock.now()))
    await refreshMembersReady(ports, federation)
  await repairObserved(ports, members, seen)
  if (!differs(federation.observation, observed)) return isMoved || areMoved
  return ports.stores.federations.observe(federation, observed)
}

const sweepFederation = async (ports: Ports, key: FederationKey, report: ControlPlaneReport): Promise<void> => {
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || !isWatched(federation)) return
  if (await moveDegraded(ports, federation)) report.changed += 1
  await sweepPolicy(ports, federation, report)
  if (!isDue(federation, ports.clock.now())) return
  report.looked += 1
  if (await sweepOne(ports, federation)) report.changed += 1
}

/**
 * Checks the control planes that are due, at most 20 at a time, where the driver can. A fault that two observations agree on makes the condition
 * ControlPlaneReady False; what the control plane says of members degrades or heals them. Writes only what changed.
 */
export const sweepControlPlanes = async (all: Ports, part = WHOLE_SWEEP): Promise<ControlPlaneReport> => {
  const ports = { ...all, connect: connectWithin(all.connect, CONTROL_PLANE_SWEEP_LIMITS) }
  const report: ControlPlaneReport = { looked: 0, changed: 0, failed: 0, putOff: 0 }
  const shares = {
    limit: Math.ceil(PARALLEL_MAX / part.of),
    share: Math.ceil(PROJECT_PARALLEL_MAX / part.of),
    budgetMs: PROJECT_BUDGET_MS / part.of,
    turn: minuteOf(ports.clock.now()),
  }
  const left = await inShares(ports.stores.work.federations(part), shares, async (key) => {
    try {
      await sweepFederation(ports, key, report)
    } catch (error) {
      report.failed += 1
      const reported = loggedError(error)
      ports.log.error('federation not swept', { projectId: key.projectId, federationId: key.id, ...reported })
    }
  })
  report.putOff = left.length
  return report
}
