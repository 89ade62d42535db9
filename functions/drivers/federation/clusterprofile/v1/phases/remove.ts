import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { federationSelector } from '../../../../support/owned.ts'
import { hostSite } from '../../../../support/sites.ts'
import { step } from '../../../../support/step.ts'
import { removePublished } from '../host/inventory.ts'
import type { ClusterProfileOptions } from '../options.ts'
import { dropAccess } from './access.ts'
import { dropNamespace } from './namespace.ts'

/** What members that could not be unjoined left published. */
const publicationsPhase: Phase<FederationContext> = {
  id: 'publications',
  title: 'publications removed',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async () => {
      await removePublished(await hostSite(context), federationSelector(context.federation.id))
      return {}
    }),
}

/** Takes everything of this federation out of the host, the namespace last. The CRD stays: others may use it. */
export const removalPhases = (options: ClusterProfileOptions): Phase<FederationContext>[] => [
  publicationsPhase,
  { id: 'access', title: 'rights for readers removed', deadlineSeconds: 60, ensure: dropAccess },
  {
    id: 'namespace',
    title: 'inventory namespace removed',
    deadlineSeconds: 120,
    ensure: (context) => dropNamespace(context, options),
  },
]
