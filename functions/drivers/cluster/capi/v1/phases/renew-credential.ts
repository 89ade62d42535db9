import type { ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { presentCluster } from '../management/owned.ts'
import { managementSite } from '../management/site.ts'
import { putCloudSecret } from './cloud-secret.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const PHASE_SECONDS = 900

/**
 * The first phase of a deletion: machines are removed with the credential in the Secret, and the one that is there may be of a user who has
 * left the project (decision 0018). Where there is no Cluster there is nothing that would need it.
 */
export const renewCredential: ClusterPhase = {
  id: 'renew-credential',
  title: 'hand over the credential of the cloud',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure !== 'openstack') return {}
      if ((await presentCluster(site, context.cluster)) === undefined) return {}
      if ((await context.cloudCredential()) !== undefined) await putCloudSecret(site, context)
      return {}
    }),
}
