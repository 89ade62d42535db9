import { endFederationCreate, endFederationCreateFailed } from '../../operations/federation-end.ts'
import { openFederation } from '../../operations/subjects.ts'
import { endpointOf } from '../federation/endpoint-of.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import { preflightPhase } from './preflight.phase.ts'

const federationCreate: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: (ports, state) =>
    federationSubject(ports, state, { phases: (driver) => [preflightPhase(driver), ...driver.phases.create] }),
  succeed: (ports, state, { remarks }) =>
    endFederationCreate(ports, state, (federation) => endpointOf(ports, federation), remarks),
  fail: (ports, state, { failure, notes }) => endFederationCreateFailed(ports, state, failure, notes),
}

/** Brings a federation's control plane up, then sends its waiting members on. */
export const federationCreateSteps = loopSteps(federationCreate)
