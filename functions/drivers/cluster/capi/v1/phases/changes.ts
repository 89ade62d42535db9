import type { ClusterDriver, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../../contract/errors.ts'
import { managementSite } from '../management/site.ts'
import { readSnapshot } from '../management/snapshot.ts'
import { addons } from './addons.ts'
import { keptSecrets } from './authorities.ts'
import { compare } from './compare.ts'
import { resizeFault } from './group-fault.ts'
import { cloudCredentialPhase, clusterClassPhase } from './prepare.ts'
import { removalState } from './removal.schema.ts'
import { decideRemoval, removalOf } from './removal.ts'
import { restartAddons } from './restart-addons.ts'
import { groupOf, groupPhases, wholePhases } from './update.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const CHOOSE_SECONDS = 900

/** Decides which nodes go, by those that there are: stored before anything is done, since a second look would see others. */
const choose: ClusterPhase = {
  id: 'choose',
  title: 'choose the nodes that go',
  deadlineSeconds: CHOOSE_SECONDS,
  ensure: async (context) => {
    const group = groupOf(context)
    if (group === undefined || removalOf(context) !== undefined) return { done: true }
    const snapshot = await readSnapshot(await managementSite(context))
    const fault = resizeFault(context, snapshot, group)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: removalState(decideRemoval(context, snapshot, group)) }
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
