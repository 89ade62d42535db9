import type { Federation } from '../../core/federation/federation.ts'
import { federationContext } from '../../core/federation/federation-context.ts'
import { hostAccess } from '../../core/federation/host-access.ts'
import { isAppError } from '../../core/values/app-error.ts'
import type { StepPorts } from '../step.ts'

/** Where consumers find the control plane. */
export const endpointOf = async (ports: StepPorts, federation: Federation): Promise<string | null> => {
  const host = await hostAccess(ports, federation)
  try {
    const driver = ports.drivers.federation.resolve(federation.driver)
    return await driver.endpoint(federationContext(ports, federation, host))
  } finally {
    host.close()
  }
}

/** The same after a failure: what keeps the driver from saying it must not keep the failure from being told. */
export const endpointIfKnown = async (ports: StepPorts, federation: Federation): Promise<string | null> => {
  try {
    return await endpointOf(ports, federation)
  } catch (error) {
    if (!isAppError(error)) throw error
    ports.log.warn('endpoint not known', { error: error.name, message: error.message })
    return federation.endpoint
  }
}
