import type { DriverId } from '../core/values/ids.ts'
import { DriverNotFound } from './contract/errors.ts'
import type { DriverSet, DriverSets } from './contract/registry.ts'

/** Enabled unless the operator says otherwise; `memory@1` simulates, so it is enabled only where it is asked for. */
const USUAL_FEDERATION: readonly string[] = ['karmada@1', 'clusterprofile@1']
const USUAL_CLUSTER: readonly string[] = ['external@1', 'eks@1', 'capi@1']
const USUAL_DEFAULT = 'karmada@1'

export type RegistryOptions = {
  /** Ids of the federation drivers that may be used. Default: all but memory@1. */
  enabledFederation?: readonly string[]
  /** Ids of the cluster drivers that may be used. Default: all but memory@1. */
  enabledCluster?: readonly string[]
  /** Driver of a federation that names none. Default karmada@1, or the first enabled one where that is not. */
  defaultFederation?: string
}

const driverSet = <D extends { id: DriverId }>(
  kind: string,
  all: readonly D[],
  enabled: readonly string[],
): DriverSet<D> => {
  const find = (drivers: readonly D[], id: string): D => {
    const found = drivers.find((driver) => driver.id === id)
    if (found !== undefined) return found
    const known = drivers.map((driver) => driver.id).join(', ') || 'none'
    throw new DriverNotFound(`There is no ${kind} driver '${id}' here. Choose one of: ${known}.`, { details: { id } })
  }
  const drivers = enabled.map((id) => find(all, id))
  return { resolve: (id) => find(all, id), choose: (id) => find(drivers, id), list: () => drivers }
}

/**
 * A build's drivers, or their descriptions, and which of them an installation offers.
 *
 * @throws DriverNotFound for an id that this build does not have, or a default that is not enabled
 */
export const enabledOf = <F extends { id: DriverId }, C extends { id: DriverId }>(
  all: { federation: readonly F[]; cluster: readonly C[] },
  { enabledFederation = USUAL_FEDERATION, enabledCluster = USUAL_CLUSTER, defaultFederation }: RegistryOptions,
): DriverSets<F, C> => {
  const federation = driverSet('federation', all.federation, enabledFederation)
  const first = enabledFederation.includes(USUAL_DEFAULT) ? USUAL_DEFAULT : (enabledFederation[0] ?? USUAL_DEFAULT)
  return {
    federation: { ...federation, default: federation.choose(defaultFederation ?? first).id },
    cluster: driverSet('cluster', all.cluster, enabledCluster),
  }
}
