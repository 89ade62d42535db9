import type { Steps } from '../handler-for.ts'
import { cleanMember } from './clean-member.step.ts'
import { deregisterMember } from './deregister-member.step.ts'
import { finishUnjoin } from './finish-unjoin.step.ts'
import { recordUnjoinFailure } from './record-unjoin-failure.step.ts'

/** Task states of `member-unjoin`. */
export const memberUnjoinSteps: Steps = {
  DeregisterMember: deregisterMember,
  CleanMember: cleanMember,
  FinishUnjoin: finishUnjoin,
  RecordUnjoinFailure: recordUnjoinFailure,
}
