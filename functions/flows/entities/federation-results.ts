import { driverSecretKey } from '../../core/access/credentials.ts'
import { changesOf, mergeState } from '../../core/cluster/changes.ts'
import type { Federation, FederationUpdate } from '../../core/federation/federation.ts'
import { federationContext, hostAccess } from '../../core/federation/federation-context.ts'
import { renewalAfterSuccess } from '../../core/operation/deadlines.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openFederation, type Target } from '../../core/operation/subjects.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { mergeObjectRefs } from '../../core/values/object-ref.ts'
import { madeBefore, type StepResult } from '../../drivers/contract/phase.ts'
import type { Write } from '../../store/write.ts'
import type { StepPorts } from '../step.ts'

type Sealed = NonNullable<StepResult['sealed']>

/** Changes a federation under an operation. Writes only what differs, together with `more`. @throws OperationSuperseded */
export const changeFederation = (
  ports: StepPorts,
  target: Target,
  update: (federation: Federation) => FederationUpdate,
  more: (federation: Federation) => Promise<Write[]> = async () => [],
): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const changes = changesOf<FederationUpdate>(federation, update(federation))
    const writes = await more(federation)
    if (Object.keys(changes).length === 0 && writes.length === 0) return
    await ports.stores.commit([ports.stores.federations.change(federation, changes), ...writes])
  })

/** Names of the sealed documents after a step. */
const namesAfter = ({ driverSecrets }: Federation, sealed: Sealed): string[] =>
  [...new Set([...driverSecrets, ...Object.keys(sealed)])].filter((name) => sealed[name] !== null).sort()

const sealedWrites = ({ stores }: StepPorts, federation: Federation, sealed: Sealed): Promise<Write[]> =>
  Promise.all(
    Object.entries(sealed)
      .filter(([name, secret]) => secret !== null || federation.driverSecrets.includes(name))
      .map(([name, secret]) => {
        const key = driverSecretKey(federation, name)
        return secret === null ? stores.credentials.remove(key) : stores.credentials.seal(key, secret)
      }),
  )

/**
 * Stores what a phase made, noted and sealed in one commit, before anything else happens: a key that is not written down could not be found
 * again, and one whose objects are not could not be taken back. Writes only what is new.
 *
 * @throws OperationSuperseded
 */
export const storeFederationResult = async (ports: StepPorts, target: Target, result: StepResult): Promise<void> => {
  const { made = [], state = {}, sealed = {}, renewAfter } = result
  if (
    result.made === undefined &&
    result.state === undefined &&
    result.sealed === undefined &&
    renewAfter === undefined
  )
    return
  await changeFederation(
    ports,
    target,
    (federation) => ({
      made: mergeObjectRefs(federation.made, made),
      driverState: mergeState(federation.driverState, state),
      driverSecrets: namesAfter(federation, sealed),
      ...(renewAfter === undefined ? {} : { renewAfter: renewalAfterSuccess(renewAfter, ports.clock.now()) }),
    }),
    (federation) => sealedWrites(ports, federation, sealed),
  )
}

/** Runs an act of a phase, and stores also what it had made when it throws. @throws OperationSuperseded */
export const notingPhase = async (
  ports: StepPorts,
  target: Target,
  act: () => Promise<StepResult>,
): Promise<StepResult> => {
  try {
    return await act()
  } catch (error) {
    const made = madeBefore(error)
    if (made.length > 0) await storeFederationResult(ports, target, { done: false, made })
    throw error
  }
}

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
