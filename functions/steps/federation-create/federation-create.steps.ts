import type { Federation } from '../../domain/federation.ts'
import type { PreflightFailed } from '../../drivers/contract/errors.ts'
import { endFederationCreate, endFederationCreateFailed } from '../../operations/federation-end.ts'
import { openFederation, type WithOperation } from '../../operations/subjects.ts'
import { failureOf } from '../failure-of.ts'
import { endpointOf } from '../federation/endpoint-of.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import type { StepState } from '../step.ts'
import { preflightPhase } from './preflight.phase.ts'

const PREFLIGHT_FAILED: PreflightFailed['name'] = 'PreflightFailed'

/** True when the host was found unfit before anything was made: then there is nothing to take back, in a host that may not even answer. */
const isRefused = ({ made, operation }: WithOperation<Federation>, state: StepState): boolean =>
  made.length === 0 && failureOf(state, operation.failure).reason === PREFLIGHT_FAILED

const federationCreate: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: async (ports, state) => {
    const refused = isRefused(await openFederation(ports, state), state)
    return federationSubject(ports, state, {
      phases: (driver) => (refused ? [] : [preflightPhase(driver), ...driver.phases.create]),
    })
  },
  succeed: (ports, state, { remarks }) =>
    endFederationCreate(ports, state, (federation) => endpointOf(ports, federation), remarks),
  fail: (ports, state, { failure, notes }) => endFederationCreateFailed(ports, state, failure, notes),
}

/** Brings a federation's control plane up, then sends its waiting members on. */
export const federationCreateSteps = loopSteps(federationCreate)
