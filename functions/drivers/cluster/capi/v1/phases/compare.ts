import type { ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { ChangeImpossible } from '../../../../contract/errors.ts'
import { managementSite } from '../management/site.ts'
import { readSnapshot } from '../management/snapshot.ts'
import { wantedObject } from '../management/wanted.ts'
import { changeState, storedChange } from './compare.schema.ts'
import { changesNothing, groupFault } from './group-fault.ts'
import { titleOf } from './removal.ts'
import { wishOf } from './update.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
const COMPARE_SECONDS = 900

/** Sees whether anything changes: stored before it does, since a second look would see none. */
export const compare: ClusterPhase = {
  id: 'compare',
  title: 'see what changes',
  deadlineSeconds: COMPARE_SECONDS,
  ensure: async (context) => {
    const of = titleOf(context)
    if (context.task?.kind === 'node-group-delete' || storedChange(context.cluster, of) !== undefined)
      return { done: true }
    const site = await managementSite(context)
    const snapshot = await readSnapshot(site)
    if (snapshot.object === undefined) return { done: true }
    const wanted = await wantedObject(context, site, wishOf(context), snapshot.object)
    const fault = groupFault(context, snapshot, wanted)
    if (fault !== undefined) throw new ChangeImpossible(fault)
    return { done: true, state: changeState({ of, isIdle: changesNothing(context, snapshot, wanted) }) }
  },
}
