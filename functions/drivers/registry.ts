import type { DriverId } from '../domain/driver-id.ts'
import { externalV1 } from './cluster/external/v1/index.ts'
import { memoryClusterV1 } from './cluster/memory/v1/index.ts'
import type { ClusterDriver } from './contract/cluster-driver.ts'
import { DriverNotFound } from './contract/errors.ts'
import type { FederationDriver } from './contract/federation-driver.ts'
import type { DriverSet, Drivers } from './contract/registry.ts'
import { clusterProfileV1 } from './federation/clusterprofile/v1/index.ts'
import { memoryFederationV1 } from './federation/memory/v1/index.ts'

/** Every federation driver of this build, by hand: a test compares the list with the folders. */
export const FEDERATION_DRIVERS: readonly FederationDriver[] = [clusterProfileV1, memoryFederationV1]
/** Every cluster driver of this build. */
export const CLUSTER_DRIVERS: readonly ClusterDriver[] = [externalV1, memoryClusterV1]

/** Enabled unless the operator says otherwise; `memory@1` plays, so it is enabled only where it is asked for. */
const USUAL_FEDERATION: readonly string[] = ['clusterprofile@1']
const USUAL_CLUSTER: readonly string[] = ['external@1']
const USUAL_DEFAULT = 'clusterprofile@1'

export type RegistryOptions = {
  /** Ids of the federation drivers that may be used. Default: all but memory@1. */
  enabledFederation?: readonly string[]
  /** Ids of the cluster drivers that may be used. Default: all but memory@1. */
  enabledCluster?: readonly string[]
  /** Driver of a federation that names none. Default clusterprofile@1, or the first enabled one where that is not. */
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
  return { resolve: (id) => find(drivers, id), list: () => drivers }
}

/**
 * The drivers that an installation offers.
 *
 * @throws DriverNotFound for an id that this build does not have, or a default that is not enabled
 */
export const driverRegistry = ({
  enabledFederation = USUAL_FEDERATION,
  enabledCluster = USUAL_CLUSTER,
  defaultFederation,
}: RegistryOptions = {}): Drivers => {
  const federation = driverSet('federation', FEDERATION_DRIVERS, enabledFederation)
  const first = enabledFederation.includes(USUAL_DEFAULT) ? USUAL_DEFAULT : (enabledFederation[0] ?? USUAL_DEFAULT)
  return {
    federation: { ...federation, default: federation.resolve(defaultFederation ?? first).id },
    cluster: driverSet('cluster', CLUSTER_DRIVERS, enabledCluster),
  }
}
