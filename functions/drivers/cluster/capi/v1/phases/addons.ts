import type { ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { addonResource, findAddons } from '../management/addons.ts'
import { ensureOf } from '../management/owned.ts'
import { managementSite } from '../management/site.ts'
import { ownObject, planOf } from '../management/wanted.ts'
import { addonObjects } from '../render/addon-objects.ts'
import { cloudCredentialOf } from './cloud-secret.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const ADDONS_SECONDS = 900

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
      const objects = addonObjects(plan, await findAddons(site, plan), await cloudCredentialOf(context))
      for (const object of objects) {
        await ensureOf(site, context.cluster, addonResource(object, site.names.namespace), object)
      }
      return {}
    }),
}
