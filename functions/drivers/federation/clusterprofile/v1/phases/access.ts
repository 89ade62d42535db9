import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { roles } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { ensureOwned, ownerLabels, refOf, removeOwned } from '../../../../support/owned.ts'
import { hostSite } from '../../../../support/sites.ts'
import { step } from '../../../../support/step.ts'
import { inventoryNamespace } from '../inventory-namespace.ts'
import { PROFILE_GROUP, READER_ROLE } from '../names.ts'

const readerRole = (federationId: string): Manifest<'Role'> => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: READER_ROLE, namespace: inventoryNamespace(federationId), labels: ownerLabels(federationId) },
  rules: [
    { apiGroups: [PROFILE_GROUP], resources: ['clusterprofiles'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  ],
})

export const dropAccess = (context: FederationContext): Promise<StepResult> =>
  step(async () => {
    await removeOwned(await hostSite(context), roles(inventoryNamespace(context.federation.id)), READER_ROLE)
    return {}
  })

/**
 * What a reader of the inventory needs: see profiles, and get (not list) the token Secret that a profile names. It is bound to nobody:
 * tokens of all members are behind it, and only the operator knows which ServiceAccount is the consumer's.
 */
export const accessPhase: Phase<FederationContext> = {
  id: 'access',
  title: 'rights for readers',
  deadlineSeconds: 60,
  ensure: (context) =>
    step(async ({ made }) => {
      const site = await hostSite(context)
      const { id } = context.federation
      made(refOf(site, await ensureOwned(site, roles(inventoryNamespace(id)), readerRole(id))))
      return {}
    }),
  undo: dropAccess,
}
