import { namespaces, roles } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { ensureNamespace, removeNamespace } from '../../../../support/namespace.ts'
import { ensureOwned, federationSelector, hostSite, refOf, removeOwned } from '../../../../support/owned.ts'
import { step } from '../../../../support/step.ts'
import { readerRole, removePublished } from '../host/inventory.ts'
import type { ClusterProfileOptions } from '../member/member.ts'
import { READER_ROLE } from '../names.ts'
import { inventoryNamespace } from '../schema.ts'

/** Deletes the inventory namespace of this federation, last of all. */
const dropNamespace = (context: FederationContext, { namespaceTimeoutSeconds }: ClusterProfileOptions) =>
  step(async () => ({
    leftovers: await removeNamespace(await hostSite(context), {
      name: inventoryNamespace(context.federation.id),
      now: context.now(),
      timeoutSeconds: namespaceTimeoutSeconds,
    }),
  }))

/** The namespace that is the inventory (since KEP-4322's change of July 2026 an inventory is exactly one namespace). */
export const namespacePhase = (options: ClusterProfileOptions): Phase<FederationContext> => ({
  id: 'namespace',
  title: 'inventory namespace',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async ({ made }) => {
      const site = await hostSite(context)
      const name = inventoryNamespace(context.federation.id)
      made(refOf(site, await ensureNamespace(site, name, await site.client.get(namespaces, name))))
      return {}
    }),
  undo: (context) => dropNamespace(context, options),
})

const dropAccess = (context: FederationContext): Promise<StepResult> =>
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

/** What members that could not be unjoined left published. */
const publicationsPhase: Phase<FederationContext> = {
  id: 'publications',
  title: 'publications removed',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async () => {
      const { federation } = context
      const selector = federationSelector(federation.id)
      await removePublished(await hostSite(context), { selector, federation, made: federation.made })
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
