import {
  CERTIFICATES_CURRENT,
  CONTROL_PLANE_READY,
  cameUp,
  type Federation,
  type FederationUpdate,
} from '../core/federation/federation.ts'
import { certificatesCurrent } from '../core/federation/federation-rotate-end.ts'
import { openFederation, type WithOperation } from '../core/operation/subjects.ts'
import { describeObject } from '../core/values/object-ref.ts'
import type { PreflightFailed } from '../drivers/contract/errors.ts'
import { NothingToRenew } from './errors.ts'
import { failureOf } from './failure-of.ts'
import type { StepPorts, StepState } from './step.ts'

const PREFLIGHT_FAILED: PreflightFailed['name'] = 'PreflightFailed'

/** True when the host was found unfit before anything was made: then there is nothing to take back, in a host that may not even answer. */
export const isRefused = ({ made, operation }: WithOperation<Federation>, state: StepState): boolean =>
  made.length === 0 && failureOf(state, operation.failure).reason === PREFLIGHT_FAILED

/** True when its create ended before anything was made: there is nothing in the host to be removed, which may not answer any more. */
export const isNothingMade = (federation: Federation): boolean =>
  federation.made.length === 0 &&
  !cameUp(federation) &&
  // Said by the create's end. One that a delete took over may have made what it had no time to note.
  federation.conditions.some(({ type, status }) => type === CONTROL_PLANE_READY && status === 'False')

/** What a delete left behind: a forced one may leave anything that was made in the host. */
export const leftInHost = async (ports: StepPorts, state: StepState, notes: readonly string[]): Promise<string[]> => {
  const federation = await openFederation(ports, state)
  const { made, operation } = federation
  if (notes.length === 0 || (!operation.force && isNothingMade(federation))) return []
  const perhaps = operation.force ? made : []
  return [
    `The federation was deleted, but: ${notes.join('; ')}.`,
    ...(perhaps.length > 0 ? [`Look for: ${perhaps.map(describeObject).join(', ')}.`] : []),
  ]
}

/** A date that did not move would start the next rotation at once. @throws NothingToRenew */
export const requireRenewed = async (ports: StepPorts, state: StepState): Promise<void> => {
  const { renewAfter, driver } = await openFederation(ports, state)
  if (renewAfter === null || renewAfter > ports.clock.now().toISOString()) return
  throw new NothingToRenew(`Driver ${driver} renewed nothing: renewal is still due since ${renewAfter}.`)
}

const isTold = ({ conditions }: Federation, message: string): boolean =>
  conditions.some((it) => it.type === CERTIFICATES_CURRENT && it.status === 'Unknown' && it.message === message)

/** What a rotation waits for is told in its condition: the federation's status stays as it is. */
export const tellRenewal = (ports: StepPorts, federation: Federation, message: string): FederationUpdate =>
  isTold(federation, message)
    ? {}
    : { conditions: certificatesCurrent(ports, federation, { status: 'Unknown', reason: 'Renewing', message }) }
