import { stepEntry } from '../../runtime/step-entry.ts'
import { memberUnjoinSteps } from './member-unjoin.steps.ts'

/** Lambda entry of the flow member-unjoin. */
export const handler = stepEntry('member-unjoin', memberUnjoinSteps)
