import { stepEntry } from '../../runtime/step-entry.ts'
import { federationRotateSteps } from './federation-rotate.steps.ts'

/** Lambda entry of the flow federation-rotate. */
export const handler = stepEntry('federation-rotate', federationRotateSteps)
