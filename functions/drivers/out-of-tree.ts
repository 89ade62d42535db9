import type { AwsAccess } from './contract/aws-access.ts'
import type { ClusterDriver } from './contract/cluster-driver.ts'
import type { FederationDriver } from './contract/federation-driver.ts'

/** What a driver package exports (docs/drivers/out-of-tree.md). */
export type DriverPackage = {
  federationDrivers?: readonly FederationDriver[]
  clusterDrivers?(ports: { aws: AwsAccess }): readonly ClusterDriver[]
}

/** What the drivers of packages do. None here: bundling for AWS puts those of the setting `driverPackages` in this module's place. */
export const DRIVER_PACKAGES: readonly DriverPackage[] = []
