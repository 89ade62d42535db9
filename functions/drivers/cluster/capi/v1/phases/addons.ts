import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { addonResource, findAddons } from '../management/addons.ts'
import { ensureOf } from '../management/owned.ts'
import { getServed } from '../management/served.ts'
import { type ManagementSite, managementSite } from '../management/site.ts'
import { ownObject, planOf } from '../management/wanted.ts'
import { addonObjects, addonsName, cloudConfigSecret, clusterResourceSets } from '../render/addon-objects.ts'
import type { RenderPlan } from '../render/plan.ts'
import { cloudCredentialOf } from './cloud-secret.ts'

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
