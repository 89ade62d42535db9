import type { Federation } from '../../core/federation/federation.ts'
import { federationContext } from '../../core/federation/federation-context.ts'
import { hostAccess } from '../../core/federation/host-access.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import type { FederationDriver, FederationObservation } from '../../drivers/contract/federation-driver.ts'

/** Milliseconds for one look: the sweep has a minute for all, and single calls end by themselves. */
const LOOK_MS = 20_000

const withFault = (reason: string, message: string): FederationObservation => ({
  fault: { reason, message },
  members: new Map(),
})

const late = (): { answer: Promise<FederationObservation>; cancel(): void } => {
  const { promise, resolve } = Promise.withResolvers<FederationObservation>()
  const told = withFault('ObservationTimedOut', `The control plane could not be looked at within ${LOOK_MS / 1000} s.`)
  const timer = setTimeout(() => resolve(told), LOOK_MS)
  return { answer: promise, cancel: () => clearTimeout(timer) }
}

/** One look at a federation. A fault that is thrown, of the host most likely, is a fault of the control plane; ours are thrown on. */
export const observeControlPlane = async (
  ports: Ports,
  federation: Federation,
  observe: NonNullable<FederationDriver['observe']>,
): Promise<FederationObservation> => {
  const host = await hostAccess(ports, federation)
  const limit = late()
  try {
    return await Promise.race([observe(federationContext(ports, federation, host)), limit.answer])
  } catch (error) {
    if (!isAppError(error) || error.kind === 'internal') throw error
    return withFault(error.name, error.message)
  } finally {
    limit.cancel()
    host.close()
  }
}
