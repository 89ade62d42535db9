import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { federationSelector, listAll, type Site } from '../../../../support/owned.ts'
import { hostSite } from '../../../../support/sites.ts'
import { step, type Trace } from '../../../../support/step.ts'
import { contentOf } from '../host/content.ts'
import { removePublished } from '../host/inventory.ts'
import { publish, requireNamespace } from '../host/publish.ts'
import { servedVersion } from '../host/served-version.ts'
import { inventoryNamespace } from '../inventory-namespace.ts'
import { type ProfileVersion, placementsOf, profiles, TOKEN_KEY } from '../names.ts'
import { parseProperties } from '../schema.ts'

const Token = z.object({ data: z.object({ [TOKEN_KEY]: z.string().min(1) }) })

type Copying = { context: FederationContext; site: Site; trace: Trace; version: ProfileVersion }

/** Copies one member from the inventory to the consumer namespaces. One that is being published only now gets there by itself. */
const copy = async ({ context, site, trace, version }: Copying, profile: KubernetesObject): Promise<void> => {
  const { name } = profile.metadata
  const secret = await site.client.get(secrets(inventoryNamespace(context.federation.id)), name)
  const token = Token.safeParse(secret).data?.data[TOKEN_KEY]
  const content = contentOf(profile)
  if (token === undefined || content === undefined) return
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  const [, ...consumers] = placementsOf(context.federation, name, consumerNamespaces)
  for (const placement of consumers) await publish(site, trace, { content, token, placement, version })
}

/**
 * After `consumer-namespaces` changed: takes away what is published in other namespaces, and copies every member of the inventory to
 * the new ones. Needs no member to be reachable.
 */
export const publishPhase: Phase<FederationContext> = {
  id: 'publish',
  title: 'publication to consumers',
  deadlineSeconds: 300,
  ensure: (context) =>
    step(async (trace) => {
      const site = await hostSite(context)
      const inventory = inventoryNamespace(context.federation.id)
      const selector = federationSelector(context.federation.id)
      const { consumerNamespaces } = parseProperties(context.federation.properties)
      await removePublished(site, selector, [inventory, ...consumerNamespaces])
      for (const name of consumerNamespaces) await requireNamespace(site, name)
      const version = await servedVersion(site.client)
      for (const profile of await listAll(site.client, profiles(version, inventory), selector)) {
        await copy({ context, site, trace, version }, profile)
      }
      return {}
    }),
}
