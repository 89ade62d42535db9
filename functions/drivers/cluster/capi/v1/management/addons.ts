import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import { AddonMissing } from '../errors.ts'
import { clusterResourceSets, type FoundAddon } from '../render/addon-objects.ts'
import { addonMissing, addonWishes } from '../render/addons.ts'
import type { RenderPlan } from '../render/plan.ts'
import type { ManagementSite } from './site.ts'

/** The operator's Secrets that a cluster's addons come from. Those that it can do without are left out. @throws AddonMissing */
export const findAddons = async (site: ManagementSite, plan: RenderPlan): Promise<FoundAddon[]> => {
  const { client, options, where } = site
  const namespace = options.addons_namespace ?? ''
  const found: FoundAddon[] = []
  for (const desired of addonWishes(plan, options)) {
    const secret = await client.get(secrets(namespace), desired.secret)
    if (secret !== undefined) found.push({ desired, secret })
    else if (desired.isRequired) throw new AddonMissing(addonMissing(desired, namespace, where))
  }
  return found
}

/** Where an object that brings addons is written. */
export const addonResource = ({ kind }: KubernetesObject, namespace: string): Resource =>
  kind === 'Secret' ? secrets(namespace) : clusterResourceSets(namespace)
