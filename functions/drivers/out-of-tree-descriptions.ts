import type { ClusterDriverDescription } from './contract/cluster-driver-description.ts'
import type { FederationDriverDescription } from './contract/federation-driver-description.ts'

/** What a driver package exports at `./descriptions` (docs/drivers/out-of-tree.md). */
export type PackageDescriptions = {
  federationDescriptions?: readonly FederationDriverDescription[]
  clusterDescriptions?: readonly ClusterDriverDescription[]
}

/** What the drivers of packages say. None here: bundling for AWS puts those of the setting `driverPackages` in this module's place. */
export const PACKAGE_DESCRIPTIONS: readonly PackageDescriptions[] = []
