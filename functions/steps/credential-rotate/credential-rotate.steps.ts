import type { Steps } from '../handler-for.ts'
import { finishRotate } from './finish-rotate.step.ts'
import { publishCredential } from './publish-credential.step.ts'
import { recordRotateFailure } from './record-rotate-failure.step.ts'
import { renewCredential } from './renew-credential.step.ts'

/** Task states of `credential-rotate`. */
export const credentialRotateSteps: Steps = {
  RenewCredential: renewCredential,
  PublishCredential: publishCredential,
  FinishRotate: finishRotate,
  RecordRotateFailure: recordRotateFailure,
}
