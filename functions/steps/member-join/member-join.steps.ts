import * as z from 'zod'
import { mergeObjectRefs } from '../../domain/object-ref.ts'
import { endJoin, endJoinFailed } from '../../operations/membership-end.ts'
import { openMembership } from '../../operations/subjects.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import { JOIN_PHASES } from '../member/member.phases.ts'
import { membershipOperation, membershipSubject } from '../member/membership-subject.ts'

const Carried = z.object({ remark: z.object({ reason: z.string(), message: z.string() }).nullable().default(null) })

const memberJoin: Loop = {
  operation: membershipOperation,
  subject: (ports, state) => membershipSubject(ports, state, JOIN_PHASES),
  succeed: (ports, state, { carried }) => endJoin(ports, state, Carried.parse(carried).remark),
  fail: async (ports, state, { failure, leftovers, isUndone }) => {
    const { made } = await openMembership(ports, state)
    await endJoinFailed(ports, state, failure, isUndone ? leftovers : mergeObjectRefs(leftovers, made))
  },
}

/** One cluster joins one federation. */
export const memberJoinSteps = loopSteps(memberJoin)
