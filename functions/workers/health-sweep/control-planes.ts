import { isDeepStrictEqual } from 'node:util'
import { CONTROL_PLANE_READY, type ControlPlaneLook, type Federation } from '../../core/federation/federation.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { isConditionTrue } from '../../core/values/condition.ts'
import { CONTROL_PLANE_SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import { isWatched, moveControlPlane } from './control-plane-ready.ts'
import { inShares } from './in-parallel.ts'
import { isResting } from './move-member.ts'
import { observeControlPlane } from './observe-control-plane.ts'
import { moveObserved, saidOf } from './observed-members.ts'
import { isMinuteOf, minuteOf } from './verdict.ts'

/** Control planes looked at in parallel: a look is several calls, and hosts carry many federations. */
const PARALLEL_MAX = 20

/** Of these, of one project. */
const PROJECT_PARALLEL_MAX = 5

/** Milliseconds of looks of one project in a run: twelve hosts that hang until their 20 s are over. */
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

const differs = (stored: ControlPlaneLook | null, look: ControlPlaneLook): boolean =>
  stored === null || !isDeepStrictEqual({ ...stored, observedAt: '' }, { ...look, observedAt: '' })

/**
 * True when something changed. What follows from a look is stored before the look itself: a crash in between has it made again. The members are
 * read before: one that comes to rest meanwhile may not have been known yet to the control plane.
 */
const sweepOne = async (ports: Ports, federation: Federation): Promise<boolean> => {
  const driver = ports.drivers.federation.resolve(federation.driver)
  const { observe } = driver
  if (observe === undefined) return false
  const members = (await ports.stores.memberships.listOf(federation)).filter(isResting)
  const seen = await observeControlPlane(ports, federation, (context) => observe.call(driver, context))
  const look: ControlPlaneLook = {
    observedAt: ports.clock.now().toISOString(),
    fault: seen.fault?.reason ?? null,
    members: saidOf(federation.observation, members, seen),
  }
  const isMoved = await moveControlPlane(ports, federation, seen.fault)
  const areMoved = await moveObserved(ports, federation, { members, seen, look })
  if (!differs(federation.observation, look)) return isMoved || areMoved
  return ports.stores.federations.observe(federation, look)
}

/**
 * Looks at the control planes that are due, at most 20 at a time, where the driver can. A fault that two looks agree on makes the condition
 * ControlPlaneReady False; what the control plane says of members degrades or heals them. Writes only what changed.
 */
export const sweepControlPlanes = async (all: Ports): Promise<ControlPlaneReport> => {
  const ports = { ...all, connect: connectWithin(all.connect, CONTROL_PLANE_SWEEP_LIMITS) }
  const report: ControlPlaneReport = { looked: 0, changed: 0, failed: 0, putOff: 0 }
  const shares = {
    limit: PARALLEL_MAX,
    share: PROJECT_PARALLEL_MAX,
    budgetMs: PROJECT_BUDGET_MS,
    turn: minuteOf(ports.clock.now()),
  }
  report.putOff = await inShares(ports.stores.work.federations(), shares, async (key) => {
    try {
      const federation = await ports.stores.federations.get(key)
      if (federation === undefined || !isWatched(federation) || !isDue(federation, ports.clock.now())) return
      report.looked += 1
      report.changed += (await sweepOne(ports, federation)) ? 1 : 0
    } catch (error) {
      report.failed += 1
      const told = isAppError(error) ? { error: error.name, message: error.message } : { error }
      ports.log.error('federation not swept', { projectId: key.projectId, federationId: key.id, ...told })
    }
  })
  return report
}
