import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { ensureNamespace, removeNamespace } from '../../../../support/namespace.ts'
import { refOf } from '../../../../support/owned.ts'
import { hostSite } from '../../../../support/sites.ts'
import { step } from '../../../../support/step.ts'
import { inventoryNamespace } from '../inventory-namespace.ts'
import type { ClusterProfileOptions } from '../options.ts'

/** Deletes the inventory namespace of this federation, last of all. */
export const dropNamespace = (context: FederationContext, { namespacePatienceSeconds }: ClusterProfileOptions) =>
  step(async () => ({
    leftovers: await removeNamespace(await hostSite(context), {
      name: inventoryNamespace(context.federation.id),
      now: context.now(),
      patienceSeconds: namespacePatienceSeconds,
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
