import type { ClusterDriver, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../../contract/errors.ts'
import { managementSite, readSnapshot } from '../management/snapshot.ts'
import { wantedObject } from '../management/wanted.ts'
import { change, removal } from '../model/state.schema.ts'
import { addons, restartAddons } from './addons.ts'
import { cloudCredentialPhase, clusterClassPhase } from './create.ts'
import { changesNothing, groupFault, resizeFault } from './group-fault.ts'
import { CALLS_SECONDS } from './phase.ts'
import { decideRemoval, removalOf, titleOf } from './removal.ts'
import { keptSecrets } from './secrets.ts'
import { desiredOf, groupOf, groupPhases, wholePhases } from './update.ts'

/** Sees whether anything changes: stored before it does, since a second observation would see none. */
const compare: ClusterPhase = {
  id: 'compare',
  title: 'see what changes',
  deadlineSeconds: CALLS_SECONDS,
  ensure: async (context) => {
    const of = titleOf(context)
    if (context.task?.kind === 'node-group-delete' || change.stored(context.cluster, of) !== undefined)
      return { done: true }
    const site = await managementSite(context)
    const snapshot = await readSnapshot(site)
    if (snapshot.object === undefined) return { done: true }
    const wanted = await wantedObject(context, site, desiredOf(context), snapshot.object)
    const fault = groupFault(context, snapshot, wanted)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: change.state({ of, isNoOp: changesNothing(context, snapshot, wanted) }) }
  },
}

/** Decides which nodes go, by those that there are: stored before anything is done, since a second observation would see others. */
const choose: ClusterPhase = {
  id: 'choose',
  title: 'choose the nodes that go',
  deadlineSeconds: CALLS_SECONDS,
  ensure: async (context) => {
    const group = groupOf(context)
    if (group === undefined || removalOf(context) !== undefined) return { done: true }
    const snapshot = await readSnapshot(await managementSite(context))
    const fault = resizeFault(context, snapshot, group)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: removal.state(decideRemoval(context, snapshot, group)) }
  },
}

const groupPlan = [keptSecrets, compare, ...groupPhases]

/** The plans of the changes that the driver knows. The authorities of a running cluster can't be changed: Cluster API has no way for that. */
export const updatePhases: ClusterDriver['phases']['update'] = {
  resize: [keptSecrets, choose, ...groupPhases],
  'node-group-create': groupPlan,
  'node-group-update': groupPlan,
  'node-group-delete': groupPlan,
  // Only an upgrade takes a cluster to the class of this version of fedplane.
  upgrade: [keptSecrets, clusterClassPhase, addons, ...wholePhases],
  'rotate-credential': [
    ...[cloudCredentialPhase, addons].map((phase) => ({ ...phase, undo: phase.ensure })),
    restartAddons,
  ],
}
