import { stepEntry } from '../../runtime/step-entry.ts'
import { clusterDeleteSteps } from './cluster-delete.steps.ts'

/** Lambda entry of the flow cluster-delete. */
export const handler = stepEntry('cluster-delete', clusterDeleteSteps)
