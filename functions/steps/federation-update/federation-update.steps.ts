import { noted } from '../../operations/failure.ts'
import { endFederationUpdate, endFederationUpdateFailed } from '../../operations/federation-end.ts'
import { openFederation } from '../../operations/subjects.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'

const federationUpdate: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: (ports, state) =>
    federationSubject(ports, state, { phases: (driver) => driver.phases.update, withMembers: true }),
  succeed: (ports, state) => endFederationUpdate(ports, state),
  fail: (ports, state, { failure, notes }) => endFederationUpdateFailed(ports, state, noted(failure, notes)),
}

/** Puts changed properties of a federation in force. */
export const federationUpdateSteps = loopSteps(federationUpdate)
