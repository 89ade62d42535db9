import { endClusterUpdate, endClusterUpdateFailed, taskOf } from '../../operations/cluster-update-end.ts'
import { noted } from '../../operations/failure.ts'
import { openCluster } from '../../operations/subjects.ts'
import { phasesAfterRotation, phasesBeforeRotation } from '../cluster/cloud.phases.ts'
import { candidateCredential, storeCandidateResult } from '../cluster/cluster-results.ts'
import { clusterSubject, updatePhases } from '../cluster/cluster-subject.ts'
import { identityPhases } from '../cluster/identity.phases.ts'
import { managementPhasesOfCredential } from '../cluster/management.phases.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'

const clusterUpdate: Loop = {
  operation: async (ports, state) => (await openCluster(ports, state)).operation,
  subject: (ports, state) =>
    clusterSubject(ports, state, {
      phases: (driver, cluster) => updatePhases(driver, taskOf(cluster)),
      before: phasesBeforeRotation,
      more: (...of) => [
        ...phasesAfterRotation(...of),
        ...identityPhases(...of),
        ...managementPhasesOfCredential(...of),
      ],
      task: taskOf,
      credential: candidateCredential,
      store: storeCandidateResult,
    }),
  succeed: (ports, state, { notes }) => endClusterUpdate(ports, state, notes),
  fail: (ports, state, { failure, notes }) => endClusterUpdateFailed(ports, state, noted(failure, notes)),
}

/** Changes a cluster; a new credential takes the place of the old one only when it is proved. */
export const clusterUpdateSteps = loopSteps(clusterUpdate)
