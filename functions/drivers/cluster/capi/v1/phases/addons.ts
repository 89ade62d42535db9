import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { ensureOf } from '../management/owned.ts'
import { getServed, type ManagementSite, managementSite } from '../management/site.ts'
import { ownObject, planOf } from '../management/wanted.ts'
import { AddonMissing } from '../model/errors.ts'
import {
  addonMissing,
  addonObjects,
  addonsName,
  addonWishes,
  cloudConfigSecret,
  clusterResourceSets,
  type FoundAddon,
} from '../render/addons.ts'
import type { RenderPlan } from '../render/plan.ts'
import { cloudCredentialOf } from './secrets.ts'

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
const addonResource = ({ kind }: KubernetesObject, namespace: string): Resource =>
  kind === 'Secret' ? secrets(namespace) : clusterResourceSets(namespace)

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const ADDONS_SECONDS = 900

/**
 * A rotation changes the credential only: manifests that the operator has changed meanwhile come with an upgrade, and one that he has taken away keeps nobody
 * from a new credential. A cluster that was made before the namespace of addons was named gets all of them.
 */
const objectsFor = async (
  context: ClusterContext,
  site: ManagementSite,
  plan: RenderPlan,
): Promise<KubernetesObject[]> => {
  const credential = await cloudCredentialOf(context)
  const isRotation = context.task?.kind === 'rotate-credential'
  const isThere =
    isRotation && (await getServed(site, clusterResourceSets(site.names.namespace), addonsName(plan))) !== undefined
  return isThere ? [cloudConfigSecret(plan, credential)] : addonObjects(plan, await findAddons(site, plan), credential)
}

/**
 * What Cluster API brings into the cluster once it answers: the manifests that the operator keeps, and the cloud's configuration with the credential.
 * Without a namespace of addons the operator does that by other means.
 */
export const addons: ClusterPhase = {
  id: 'addons',
  title: 'hand over addons',
  deadlineSeconds: ADDONS_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure !== 'openstack' || site.options.addons_namespace === undefined) return {}
      const { nodeGroups, task } = context
      const plan = await planOf(context, site, { nodeGroups, task }, await ownObject(context, site))
      for (const object of await objectsFor(context, site, plan)) {
        await ensureOf(site, context.cluster, addonResource(object, site.names.namespace), object)
      }
      return {}
    }),
}
