import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Site } from '../../../../support/owned.ts'

/** The control plane as a place of our objects; it is part of the host, as far as users are told. */
export const controlPlaneSite = ({ federation }: FederationContext, client: KubernetesClient): Site => ({
  client,
  where: 'host',
  federationId: federation.id,
})
