import { stepEntry } from '../../runtime/step-entry.ts'
import { memberJoinSteps } from './member-join.steps.ts'

/** Lambda entry of the flow member-join. */
export const handler = stepEntry('member-join', memberJoinSteps)
