import { capiV1 } from './cluster/capi/v1/index.ts'
import { eksV1 } from './cluster/eks/v1/index.ts'
import { externalV1 } from './cluster/external/v1/index.ts'
import { memoryClusterV1 } from './cluster/memory/v1/index.ts'
import type { AwsAccess } from './contract/aws-access.ts'
import type { ClusterDriver } from './contract/cluster-driver.ts'
import type { FederationDriver } from './contract/federation-driver.ts'
import type { Drivers } from './contract/registry.ts'
import { CLUSTER_DESCRIPTIONS, FEDERATION_DESCRIPTIONS } from './descriptions.ts'
import { enabledOf, type RegistryOptions } from './enabled.ts'
import { clusterProfileV1 } from './federation/clusterprofile/v1/index.ts'
import { karmadaV1 } from './federation/karmada/v1/index.ts'
import { memoryFederationV1 } from './federation/memory/v1/index.ts'
import { DRIVER_PACKAGES } from './out-of-tree.ts'

/** What the drivers of `descriptions.ts` do, by id: the compiler knows when one is missing. */
const FEDERATION: Readonly<Record<(typeof FEDERATION_DESCRIPTIONS)[number]['id'], FederationDriver>> = {
  'karmada@1': karmadaV1,
  'clusterprofile@1': clusterProfileV1,
  'memory@1': memoryFederationV1,
}

/** What drivers need of the process they run in. */
export type DriverPorts = { aws: AwsAccess }

const clustersBy = ({
  aws,
}: DriverPorts): Readonly<Record<(typeof CLUSTER_DESCRIPTIONS)[number]['id'], ClusterDriver>> => ({
  'external@1': externalV1,
  'eks@1': eksV1({ aws }),
  'capi@1': capiV1,
  'memory@1': memoryClusterV1,
})

/** Every federation driver of this build, in the order of the descriptions. */
export const FEDERATION_DRIVERS: readonly FederationDriver[] = FEDERATION_DESCRIPTIONS.map(({ id }) => FEDERATION[id])

/** Every cluster driver of this build. */
export const clusterDrivers = (ports: DriverPorts): readonly ClusterDriver[] => {
  const drivers = clustersBy(ports)
  return CLUSTER_DESCRIPTIONS.map(({ id }) => drivers[id])
}

/**
 * The drivers that an installation offers.
 *
 * @throws DriverNotFound for an id that this build does not have, or a default that is not enabled
 */
export const driverRegistry = (ports: DriverPorts, options: RegistryOptions = {}): Drivers =>
  enabledOf(
    {
      federation: [
        ...FEDERATION_DRIVERS,
        ...DRIVER_PACKAGES.flatMap(({ federationDrivers = [] }) => federationDrivers),
      ],
      cluster: [
        ...clusterDrivers(ports),
        ...DRIVER_PACKAGES.flatMap((drivers) => drivers.clusterDrivers?.(ports) ?? []),
      ],
    },
    options,
  )
