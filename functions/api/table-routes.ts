import { CERTIFICATE_ROUTES } from './certificates/certificates.routes.ts'
import { CLUSTER_ROUTES } from './clusters/clusters.routes.ts'
import { OBSERVE_ROUTES } from './clusters/observe.routes.ts'
import { TEMPLATE_ROUTES } from './clustertemplates/templates.routes.ts'
import { CREDENTIAL_ROUTES } from './credentials/inventory.ts'
import { DRIVER_ROUTES } from './drivers/drivers.routes.ts'
import { EVENT_ROUTES } from './events/events.routes.ts'
import { FEDERATION_ROUTES } from './federations/federations.routes.ts'
import { NODE_GROUP_ROUTES } from './nodegroups/nodegroups.routes.ts'
import { QUOTA_ROUTES } from './quotas/quotas.routes.ts'
import type { TableRoute } from './route.ts'
import { DISCOVERY_ROUTES, WHOAMI_ROUTES } from './service/discovery.routes.ts'
import { MSERVICE_ROUTES } from './service/mservices.routes.ts'
import { STATS_ROUTES } from './service/stats.routes.ts'
import { TRIGGER_ROUTES } from './triggers/triggers.routes.ts'

/** Routes that need no key: what the table function serves. */
export const TABLE_ROUTES: readonly TableRoute[] = [
  ...DISCOVERY_ROUTES,
  ...CLUSTER_ROUTES,
  ...OBSERVE_ROUTES,
  ...TEMPLATE_ROUTES,
  ...NODE_GROUP_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...CREDENTIAL_ROUTES,
  ...FEDERATION_ROUTES,
  ...DRIVER_ROUTES,
  ...QUOTA_ROUTES,
  ...STATS_ROUTES,
  ...MSERVICE_ROUTES,
  ...EVENT_ROUTES,
  ...TRIGGER_ROUTES,
  ...WHOAMI_ROUTES,
]
