import { abandonUnjoin } from '../../operations/give-up.ts'
import { endUnjoin } from '../../operations/membership-end.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import { progressOf } from '../loop/progress.ts'
import { unjoinPhases } from '../member/member.phases.ts'
import { membershipOperation, membershipSubject } from '../member/membership-subject.ts'

const memberUnjoin: Loop = {
  operation: membershipOperation,
  subject: (ports, state) => membershipSubject(ports, state, unjoinPhases(progressOf(state.progress).remarks)),
  succeed: (ports, state, { leftovers, remarks }) => endUnjoin(ports, state, { leftovers, remarks }),
  fail: (ports, state, { failure, remarks }) => abandonUnjoin(ports, state, failure, remarks),
}

/** One cluster leaves one federation. */
export const memberUnjoinSteps = loopSteps(memberUnjoin)
