import { CONTROL_PLANE_READY, cameUp, type Federation } from '../../core/federation/federation.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { untilNoConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { type Condition, withCondition } from '../../core/values/condition.ts'
import type { Fault } from './member-verdict.ts'

/** True when it is up and rests: an operation of its own may well take it down for a while, and says so itself. */
export const isWatched = (federation: Federation): boolean =>
  cameUp(federation) && federation.operation === null && !federation.status.startsWith('DELETE_')

const conditionOf = ({ conditions }: Federation): Condition | undefined =>
  conditions.find(({ type }) => type === CONTROL_PLANE_READY)

/** True when the look before saw the same: well, or a fault of whatever kind. A control plane that was never looked at had none. */
const isConfirmed = ({ observation }: Federation, fault: Fault | null): boolean =>
  ((observation?.fault ?? null) === null) === (fault === null)

/** True when the condition says this already. A message that changes alone is no news. */
const isSaid = (condition: Condition | undefined, fault: Fault | null): boolean =>
  fault === null ? condition?.status === 'True' : condition?.status === 'False' && condition.reason === fault.reason

const WELL: Fault = { reason: 'Healthy', message: 'The control plane is up.' }

/**
 * Takes a look to the condition ControlPlaneReady, once two looks agree. True when that changed something.
 */
export const moveControlPlane = async (ports: Ports, seen: Federation, fault: Fault | null): Promise<boolean> => {
  if (!isConfirmed(seen, fault)) return false
  return untilNoConflict(async () => {
    const federation = await ports.stores.federations.get(seen)
    if (federation === undefined || !isWatched(federation) || isSaid(conditionOf(federation), fault)) return false
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
