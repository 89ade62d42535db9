import { CERTIFICATE_KEYS_ROUTES } from './certificates/certificates.keys-routes.ts'
import { CLUSTER_KEYS_ROUTES } from './clusters/clusters.keys-routes.ts'
import { CREDENTIAL_KEYS_ROUTES } from './credentials/credentials.keys-routes.ts'
import { FEDERATION_KEYS_ROUTES } from './federations/federations.keys-routes.ts'
import { GRANT_KEYS_ROUTES } from './grants/grants.keys-routes.ts'
import { NODE_GROUP_KEYS_ROUTES } from './nodegroups/nodegroups.keys-routes.ts'
import type { Route } from './route.ts'
import { TRIGGER_KEYS_ROUTES } from './triggers/triggers.keys-routes.ts'

/** Routes that seal or open something: what the keys function serves. The gateway sends it nothing else. */
export const KEYS_ROUTES: readonly Route[] = [
  ...CLUSTER_KEYS_ROUTES,
  ...NODE_GROUP_KEYS_ROUTES,
  ...CERTIFICATE_KEYS_ROUTES,
  ...CREDENTIAL_KEYS_ROUTES,
  ...FEDERATION_KEYS_ROUTES,
  ...TRIGGER_KEYS_ROUTES,
  ...GRANT_KEYS_ROUTES,
]
