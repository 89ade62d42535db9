import { stepEntry } from '../../runtime/step-entry.ts'
import { clusterUpdateSteps } from './cluster-update.steps.ts'

/** Lambda entry of the flow cluster-update. */
export const handler = stepEntry('cluster-update', clusterUpdateSteps)
