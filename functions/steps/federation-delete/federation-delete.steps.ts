import { CONTROL_PLANE_READY, cameUp, type Federation } from '../../domain/federation.ts'
import { describeObject } from '../../domain/object-ref.ts'
import { noted } from '../../operations/failure.ts'
import { endFederationDelete, endFederationDeleteFailed } from '../../operations/federation-end.ts'
import { openFederation } from '../../operations/subjects.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import type { StepPorts, StepState } from '../step.ts'
import { unjoinMembersPhase } from './unjoin-members.phase.ts'

/** True when its create ended before anything was made: there is nothing in the host to be removed, which may not answer any more. */
const isNothingMade = (federation: Federation): boolean =>
  federation.made.length === 0 &&
  !cameUp(federation) &&
  // Said by the create's end. One that a delete took over may have made what it had no time to note.
  federation.conditions.some(({ type, status }) => type === CONTROL_PLANE_READY && status === 'False')

/** What a delete left behind: a forced one may leave anything that was made in the host. */
const leftInHost = async (ports: StepPorts, state: StepState, notes: readonly string[]): Promise<string[]> => {
  const federation = await openFederation(ports, state)
  const { made, operation } = federation
  if (notes.length === 0 || (!operation.force && isNothingMade(federation))) return []
  const perhaps = operation.force ? made : []
  return [
    `The federation was deleted, but: ${notes.join('; ')}.`,
    ...(perhaps.length > 0 ? [`Look for: ${perhaps.map(describeObject).join(', ')}.`] : []),
  ]
}

const federationDelete: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: async (ports, state) => {
    const { operation } = await openFederation(ports, state)
    const unjoin = unjoinMembersPhase(ports, operation)
    return federationSubject(ports, state, {
      phases: (driver) => [unjoin, ...driver.phases.delete],
      isLenient: (federation, phase) => phase !== unjoin && isNothingMade(federation),
    })
  },
  succeed: async (ports, state, { notes }) => endFederationDelete(ports, state, await leftInHost(ports, state, notes)),
  fail: (ports, state, { failure, notes }) => endFederationDeleteFailed(ports, state, noted(failure, notes)),
}

/** Unjoins every member, takes the control plane down, and forgets the federation. */
export const federationDeleteSteps = loopSteps(federationDelete)
