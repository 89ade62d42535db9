import type { DeploymentSettings } from './settings/settings.schema.ts'

/** Settings of functions that say which drivers may be used; empty: what is usual. */
export const driverEnvironment = ({
  federationDrivers = [],
  clusterDrivers = [],
}: DeploymentSettings): { FEDERATION_DRIVERS: string; CLUSTER_DRIVERS: string } => ({
  FEDERATION_DRIVERS: federationDrivers.join(','),
  CLUSTER_DRIVERS: clusterDrivers.join(','),
})
