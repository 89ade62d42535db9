import { stepEntry } from '../../runtime/step-entry.ts'
import { clusterCreateSteps } from './cluster-create.steps.ts'

/** Lambda entry of the flow cluster-create. */
export const handler = stepEntry('cluster-create', clusterCreateSteps)
