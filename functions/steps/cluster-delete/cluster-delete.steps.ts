import { endClusterDelete, endClusterDeleteFailed } from '../../operations/cluster-delete-end.ts'
import { noted } from '../../operations/failure.ts'
import { openCluster } from '../../operations/subjects.ts'
import { phasesAfterDeletion } from '../cluster/cloud.phases.ts'
import { storeClusterResult, storedCredential } from '../cluster/cluster-results.ts'
import { clusterSubject } from '../cluster/cluster-subject.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'

const clusterDelete: Loop = {
  operation: async (ports, state) => (await openCluster(ports, state)).operation,
  subject: (ports, state) =>
    clusterSubject(ports, state, {
      phases: (driver) => driver.phases.delete,
      more: phasesAfterDeletion,
      task: () => null,
      credential: storedCredential,
      store: storeClusterResult,
    }),
  succeed: (ports, state, { notes }) => endClusterDelete(ports, state, notes),
  fail: (ports, state, { failure, notes }) => endClusterDeleteFailed(ports, state, noted(failure, notes)),
}

/** Takes down what the driver made, and forgets the cluster. */
export const clusterDeleteSteps = loopSteps(clusterDelete)
