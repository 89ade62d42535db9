import { noted } from '../../operations/failure.ts'
import { endFederationUpdate, endFederationUpdateFailed, orFollowUp } from '../../operations/federation-end.ts'
import { openFederation } from '../../operations/subjects.ts'
import { endpointIfKnown, endpointOf } from '../federation/endpoint-of.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'

const federationUpdate: Loop = {
  // Read first of all by RecordFailure, which may have died after its commit.
  operation: (ports, state) => orFollowUp(ports, state, async () => (await openFederation(ports, state)).operation),
  subject: (ports, state) =>
    federationSubject(ports, state, { phases: (driver) => driver.phases.update, withMembers: true }),
  succeed: (ports, state, { remarks }) =>
    endFederationUpdate(ports, state, (federation) => endpointOf(ports, federation), remarks),
  fail: (ports, state, { failure, notes }) =>
    endFederationUpdateFailed(ports, state, noted(failure, notes), (federation) => endpointIfKnown(ports, federation)),
}

/** Puts changed properties of a federation in force. */
export const federationUpdateSteps = loopSteps(federationUpdate)
