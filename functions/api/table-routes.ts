import { CLUSTER_ROUTES } from './clusters/clusters.routes.ts'
import { DISCOVERY_ROUTES } from './discovery/discovery.routes.ts'
import { DRIVER_ROUTES } from './drivers/drivers.routes.ts'
import { FEDERATION_ROUTES } from './federations/federations.routes.ts'
import type { Route } from './route.ts'

/** Routes that need no key: what the table function serves. */
export const TABLE_ROUTES: readonly Route[] = [
  ...DISCOVERY_ROUTES,
  ...CLUSTER_ROUTES,
  ...FEDERATION_ROUTES,
  ...DRIVER_ROUTES,
]
