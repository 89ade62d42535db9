import type { ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { ensureClass } from '../management/cluster-class.ts'
import { ensureProjectNamespace } from '../management/namespaces.ts'
import { managementSite } from '../management/site.ts'
import { namesState } from '../schema.ts'
import { addons } from './addons.ts'
import { authorities } from './authorities.ts'
import { putCloudSecret } from './cloud-secret.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const PHASE_SECONDS = 900

/** The names are stored with it: users rename clusters, and all that follows has these. */
const namespace: ClusterPhase = {
  id: 'namespace',
  title: "make the project's namespace",
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      await ensureProjectNamespace(site, context.cluster)
      return { state: namesState(site.names) }
    }),
}

/** For all projects. The preview has mostly made it already. */
export const clusterClassPhase: ClusterPhase = {
  id: 'class',
  title: 'make the cluster class',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      await ensureClass(await managementSite(context))
      return {}
    }),
}

export const cloudCredentialPhase: ClusterPhase = {
  id: 'cloud-credential',
  title: 'hand over the credential of the cloud',
  deadlineSeconds: PHASE_SECONDS,
  ensure: (context) =>
    step(async () => {
      const site = await managementSite(context)
      if (site.infrastructure === 'openstack') await putCloudSecret(site, context)
      return {}
    }),
}

/** All that is there before the Cluster. */
export const preparePhases: readonly ClusterPhase[] = [
  namespace,
  clusterClassPhase,
  cloudCredentialPhase,
  authorities,
  addons,
]
