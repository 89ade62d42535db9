import { capiV1Description } from './cluster/capi/v1/description.ts'
import { eksV1Description } from './cluster/eks/v1/description.ts'
import { externalV1Description } from './cluster/external/v1/description.ts'
import { memoryClusterV1Description } from './cluster/memory/v1/description.ts'
import type { ClusterDriverDescription } from './contract/cluster-driver-description.ts'
import type { FederationDriverDescription } from './contract/federation-driver-description.ts'
import type { DriverDescriptions } from './contract/registry.ts'
import { enabledOf, type RegistryOptions } from './enabled.ts'
import { clusterProfileV1Description } from './federation/clusterprofile/v1/description.ts'
import { karmadaV1Description } from './federation/karmada/v1/description.ts'
import { memoryFederationV1Description } from './federation/memory/v1/description.ts'
import { PACKAGE_DESCRIPTIONS } from './out-of-tree-descriptions.ts'

/** Every federation driver of this build, by hand: a test compares the list with the folders. `registry.ts` has what they do. */
export const FEDERATION_DESCRIPTIONS = [
  karmadaV1Description,
  clusterProfileV1Description,
  memoryFederationV1Description,
] as const satisfies readonly FederationDriverDescription[]

/** Every cluster driver of this build. */
export const CLUSTER_DESCRIPTIONS = [
  externalV1Description,
  eksV1Description,
  capiV1Description,
  memoryClusterV1Description,
] as const satisfies readonly ClusterDriverDescription[]

/**
 * What the drivers of an installation say, without the code of what they do: for functions that have no rights on keys.
 *
 * @throws DriverNotFound as `driverRegistry`
 */
export const driverDescriptions = (options: RegistryOptions = {}): DriverDescriptions =>
  enabledOf<FederationDriverDescription, ClusterDriverDescription>(
    {
      federation: [
        ...FEDERATION_DESCRIPTIONS,
        ...PACKAGE_DESCRIPTIONS.flatMap(({ federationDescriptions = [] }) => federationDescriptions),
      ],
      cluster: [
        ...CLUSTER_DESCRIPTIONS,
        ...PACKAGE_DESCRIPTIONS.flatMap(({ clusterDescriptions = [] }) => clusterDescriptions),
      ],
    },
    options,
  )
