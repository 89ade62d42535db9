import type { Steps } from '../handler-for.ts'
import { awaitReady } from './await-ready.step.ts'
import { checkMember } from './check-member.step.ts'
import { finishJoin } from './finish-join.step.ts'
import { prepareMember } from './prepare-member.step.ts'
import { recordJoinFailure } from './record-join-failure.step.ts'
import { registerMember } from './register-member.step.ts'
import { undoJoin } from './undo-join.step.ts'

/** Task states of `member-join`. */
export const memberJoinSteps: Steps = {
  CheckMember: checkMember,
  PrepareMember: prepareMember,
  RegisterMember: registerMember,
  AwaitReady: awaitReady,
  FinishJoin: finishJoin,
  UndoJoin: undoJoin,
  RecordJoinFailure: recordJoinFailure,
}
