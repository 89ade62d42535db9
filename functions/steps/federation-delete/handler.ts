import { stepEntry } from '../../runtime/step-entry.ts'
import { federationDeleteSteps } from './federation-delete.steps.ts'

/** Lambda entry of the flow federation-delete. */
export const handler = stepEntry('federation-delete', federationDeleteSteps)
