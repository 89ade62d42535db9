import { stepEntry } from '../../runtime/step-entry.ts'
import { federationCreateSteps } from './federation-create.steps.ts'

/** Lambda entry of the flow federation-create. */
export const handler = stepEntry('federation-create', federationCreateSteps)
