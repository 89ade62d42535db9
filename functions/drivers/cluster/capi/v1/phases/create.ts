import { isAppError } from '../../../../../core/values/app-error.ts'
import type { ClusterContext, ClusterPhase, ClusterStepResult } from '../../../../contract/cluster-driver.ts'
import { ChangeRefused } from '../../../../contract/errors.ts'
import { Pending } from '../../../../support/step.ts'
import { ensureClass } from '../management/cluster-class.ts'
import { ensureProjectNamespace } from '../management/owned.ts'
import { type ManagementSite, managementSite, readSnapshot, type Snapshot } from '../management/snapshot.ts'
import { applyWanted, ownObject, wantedObject } from '../management/wanted.ts'
import { ClusterNotReady } from '../model/errors.ts'
import { namesState, simulatedIdentityState } from '../model/state.schema.ts'
import { identityIn, inCluster, USER } from '../status/access.ts'
import { isClusterDone } from '../status/done.ts'
import { endpointIn, groupResult } from '../status/groups.ts'
import { observeSnapshot } from '../status/observe.ts'
import { clusterProgress } from '../status/progress.ts'
import { addons } from './addons.ts'
import { faultState, managementPhase, requireTopology, scaleUp } from './phase.ts'
import { authorities, putCloudSecret } from './secrets.ts'

/** The names are stored with it: users rename clusters, and all that follows has these. */
const namespace = managementPhase({ id: 'namespace', title: "make the project's namespace" }, async (context, site) => {
  await ensureProjectNamespace(site, context.cluster)
  return { state: namesState(site.names) }
})

/** For all projects. The preview has mostly made it already. */
export const clusterClassPhase = managementPhase(
  { id: 'class', title: 'make the cluster class' },
  async (_context, site) => {
    await ensureClass(site)
    return {}
  },
)

export const cloudCredentialPhase = managementPhase(
  { id: 'cloud-credential', title: 'hand over the credential of the cloud' },
  async (context, site) => {
    if (site.infrastructure === 'openstack') await putCloudSecret(site, context)
    return {}
  },
)

/** All that is there before the Cluster. */
const preparePhases: readonly ClusterPhase[] = [namespace, clusterClassPhase, cloudCredentialPhase, authorities, addons]

/** Longer than any create time-out (a week): the operation's own deadline ends this phase. */
const MACHINES_SECONDS = 8 * 24 * 3600

/** Seconds for the API server to answer us too, when Cluster API reaches it already. */
const IDENTIFY_SECONDS = 600

const cluster = managementPhase({ id: 'cluster', title: 'hand over to Cluster API' }, async (context, site) => {
  const previous = await ownObject(context, site)
  const wanted = await wantedObject(context, site, { nodeGroups: context.nodeGroups, task: null }, previous)
  await applyWanted(
    site,
    wanted,
    previous,
    (words, cause) =>
      new ChangeRefused(`The management cluster ${site.where} refuses the cluster. ${words}`, { cause }),
  )
  return {}
})

/** What is there already, told before all is: the address of the API server first of all. */
const reportOf = async (context: ClusterContext, snapshot: Snapshot): Promise<Partial<ClusterStepResult>> => {
  const authority = await context.authority('kubernetes')
  const endpoint = endpointIn(snapshot, authority?.certificatePem ?? null)
  const serverForPeers = context.cluster.endpoint?.serverForPeers ?? null
  return {
    nodeGroups: context.nodeGroups.map((group) => groupResult(snapshot, group)),
    ...(endpoint === undefined ? {} : { endpoint: { ...endpoint, serverForPeers } }),
  }
}

/** Ends a create that has no hope, or no time, left. What is there stays. @throws ClusterNotReady */
const requireRecoverable = (context: ClusterContext, snapshot: Snapshot): void => {
  const { cluster, nodeGroups, now } = context
  const { name, operation, magnum } = cluster
  if (snapshot.cluster === undefined) {
    throw new ClusterNotReady(
      `Somebody deleted cluster ${name} from its management cluster while it was made. Delete it here too.`,
    )
  }
  requireTopology(context, snapshot)
  if (operation === null || now() < operation.deadline) return
  const minutes = magnum.createTimeout ? `create_timeout (${magnum.createTimeout} minutes)` : 'time for a create'
  throw new ClusterNotReady(
    `Cluster ${name} was not up within its ${minutes}; last seen: ${clusterProgress(snapshot, nodeGroups) ?? 'no condition fails'}.`,
  )
}

const machines: ClusterPhase = {
  id: 'machines',
  title: 'wait for control plane and nodes',
  deadlineSeconds: MACHINES_SECONDS,
  ensure: async (context) => {
    const site = await managementSite(context)
    const snapshot = await readSnapshot(site)
    const reported = { ...(await reportOf(context, snapshot)), state: faultState(context, snapshot) }
    const isScaled = await scaleUp(site, snapshot, context.nodeGroups)
    if (!isScaled && isClusterDone(snapshot)) return { done: true, ...reported }
    requireRecoverable(context, snapshot)
    return {
      done: false,
      waitingFor: clusterProgress(snapshot, context.nodeGroups) ?? 'control plane and nodes to be there',
      ...reported,
    }
  },
}

/** Who it is. A load balancer that Cluster API does not go through may need a moment more, so what may pass is waited for. */
const identityOf = async (context: ClusterContext, site: ManagementSite, snapshot: Snapshot): Promise<string> => {
  try {
    return await inCluster(context, (client) => identityIn(client, site, snapshot))
  } catch (error) {
    if (isAppError(error) && error.retryable) throw new Pending(`the API server to answer: ${error.message}`)
    throw error
  }
}

const identify = managementPhase(
  { id: 'identify', title: 'claim the identity', deadlineSeconds: IDENTIFY_SECONDS },
  async (context, site) => {
    const snapshot = await readSnapshot(site)
    const uid = await identityOf(context, site, snapshot)
    await context.claimIdentity(uid)
    return {
      identity: { uid, user: USER },
      state: simulatedIdentityState(uid, snapshot.cluster?.metadata.uid),
      observation: await observeSnapshot(context, site, snapshot),
    }
  },
)

/**
 * Makes a cluster. None of it is taken back when it fails: Cluster API goes on, a later observation may find the cluster complete, and a delete takes down
 * what is there.
 */
export const createPhases: readonly ClusterPhase[] = [...preparePhases, cluster, machines, identify]
