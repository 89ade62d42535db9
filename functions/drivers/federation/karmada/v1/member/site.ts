import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Site } from '../../../../support/owned.ts'

/** The control plane as a place of our objects. */
export const controlPlaneSite = ({ federation }: FederationContext, client: KubernetesClient): Site => ({
  client,
  where: 'control-plane',
  federationId: federation.id,
})
