import { endClusterCreate, endClusterCreateFailed } from '../../operations/cluster-create-end.ts'
import { noted } from '../../operations/failure.ts'
import { openCluster } from '../../operations/subjects.ts'
import { storeClusterResult, storedCredential } from '../cluster/cluster-results.ts'
import { clusterSubject } from '../cluster/cluster-subject.ts'
import { managementPhases } from '../cluster/management.phases.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'

const clusterCreate: Loop = {
  operation: async (ports, state) => (await openCluster(ports, state)).operation,
  subject: (ports, state) =>
    clusterSubject(ports, state, {
      phases: (driver) => driver.phases.create,
      more: managementPhases,
      task: () => null,
      credential: storedCredential,
      store: storeClusterResult,
    }),
  succeed: (ports, state) => endClusterCreate(ports, state),
  fail: (ports, state, { failure, notes }) => endClusterCreateFailed(ports, state, noted(failure, notes)),
}

/** Registers or makes a cluster. */
export const clusterCreateSteps = loopSteps(clusterCreate)
