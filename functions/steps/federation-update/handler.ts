import { stepEntry } from '../../runtime/step-entry.ts'
import { federationUpdateSteps } from './federation-update.steps.ts'

/** Lambda entry of the flow federation-update. */
export const handler = stepEntry('federation-update', federationUpdateSteps)
