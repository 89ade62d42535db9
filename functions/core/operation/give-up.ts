import { endClusterCreateFailed } from '../cluster/cluster-create-end.ts'
import { endClusterDeleteFailed } from '../cluster/cluster-delete-end.ts'
import { endClusterUpdateFailed } from '../cluster/cluster-update-end.ts'
import {
  endFederationCreateFailed,
  endFederationDeleteFailed,
  endFederationUpdateFailed,
} from '../federation/federation-end.ts'
import { endFederationRotateFailed } from '../federation/federation-rotate-end.ts'
import { endJoinFailed, endRotateFailed, endUnjoin, endUnjoinFailed } from '../membership/membership-end.ts'
import type { TablePorts } from '../ports.ts'
import { withoutFullStop } from '../values/wording.ts'
import type { Failure } from './failure.ts'
import { type RunningOperation, targetOf } from './flow-of.ts'
import type { Flow } from './operation.ts'
import { openMembership, type Target } from './subjects.ts'

/** Seconds that an undo attempt may take. */
export const UNDO_DEADLINE_SECONDS = 600

/** Undo that failed the same way this often is not tried again by itself. */
export const ATTEMPTS_MAX = 3

const NOT_UNDONE = ['Undo was given up.']

type Ending = (ports: TablePorts, target: Target, failure: Failure) => Promise<void>

/**
 * An unjoin that can't be finished: with `force` the member goes anyway, and all that was made for it counts as left behind.
 *
 * @param warnings what the driver said of the workloads in it by then
 */
export const abandonUnjoin = async (
  ports: TablePorts,
  target: Target,
  failure: Failure,
  warnings: readonly string[] = [],
): Promise<void> => {
  const { operation, made } = await openMembership(ports, target)
  if (operation.force) return endUnjoin(ports, target, { leftovers: made, warnings })
  const message = [`${withoutFullStop(failure.message)}.`, ...warnings].join(' ')
  return endUnjoinFailed(ports, target, { ...failure, message })
}

const abandonJoin: Ending = async (ports, target, failure) => {
  const { made } = await openMembership(ports, target)
  return endJoinFailed(ports, target, failure, made)
}

const ENDINGS: Readonly<Record<Flow, Ending>> = {
  'cluster-create': endClusterCreateFailed,
  'cluster-update': endClusterUpdateFailed,
  'cluster-delete': endClusterDeleteFailed,
  'federation-create': (ports, target, failure) => endFederationCreateFailed(ports, target, failure, NOT_UNDONE),
  'federation-update': endFederationUpdateFailed,
  'federation-delete': endFederationDeleteFailed,
  'member-join': abandonJoin,
  'member-unjoin': abandonUnjoin,
  'credential-rotate': endRotateFailed,
  'federation-rotate': endFederationRotateFailed,
}

/**
 * Writes an operation's `*_FAILED` without undoing anything more: for undo that died too often.
 *
 * @throws OperationSuperseded when somebody else ended it
 */
export const giveUp = (ports: TablePorts, running: RunningOperation, failure: Failure): Promise<void> =>
  ENDINGS[running.flow](ports, targetOf(running), failure)
