import type { Federation } from '../../domain/federation.ts'
import { federationContext } from '../../operations/federation-context.ts'
import { endFederationCreate, endFederationCreateFailed } from '../../operations/federation-end.ts'
import { hostAccess } from '../../operations/host-access.ts'
import { openFederation } from '../../operations/subjects.ts'
import { federationSubject } from '../federation/federation-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import type { StepPorts } from '../step.ts'

/** Where consumers find the control plane. */
const endpointOf = async (ports: StepPorts, federation: Federation): Promise<string | null> => {
  const host = await hostAccess(ports, federation)
  try {
    const driver = ports.drivers.federation.resolve(federation.driver)
    return await driver.endpoint(federationContext(ports, federation, host))
  } finally {
    host.close()
  }
}

const federationCreate: Loop = {
  operation: async (ports, state) => (await openFederation(ports, state)).operation,
  subject: (ports, state) => federationSubject(ports, state, { phases: (driver) => driver.phases.create }),
  succeed: (ports, state) => endFederationCreate(ports, state, (federation) => endpointOf(ports, federation)),
  fail: (ports, state, { failure, notes }) => endFederationCreateFailed(ports, state, failure, notes),
}

/** Brings a federation's control plane up, then sends its waiting members on. */
export const federationCreateSteps = loopSteps(federationCreate)
