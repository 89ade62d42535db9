import type { Federation } from '../../domain/federation.ts'
import { federationContext } from '../../operations/federation-context.ts'
import { hostAccess } from '../../operations/host-access.ts'
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
