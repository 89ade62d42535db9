import { stepEntry } from '../../runtime/step-entry.ts'
import { credentialRotateSteps } from './credential-rotate.steps.ts'

/** Lambda entry of the flow credential-rotate. */
export const handler = stepEntry('credential-rotate', credentialRotateSteps)
