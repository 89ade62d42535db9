import * as z from 'zod'
import { noted } from '../../operations/failure.ts'
import { endRotate, endRotateFailed } from '../../operations/membership-end.ts'
import { NothingToRenew } from '../errors.ts'
import type { Loop } from '../loop/loop.ts'
import { loopSteps } from '../loop/loop-steps.ts'
import { ROTATE_PHASES } from '../member/member.phases.ts'
import { membershipOperation, membershipSubject } from '../member/membership-subject.ts'

const Carried = z.object({
  credential: z
    .object({
      kind: z.enum(['token-secret', 'token-request']),
      expiresAt: z.string().nullable(),
      renewAfter: z.string().nullable(),
    })
    .optional(),
})

const credentialRotate: Loop = {
  operation: membershipOperation,
  subject: (ports, state) => membershipSubject(ports, state, ROTATE_PHASES),
  succeed: async (ports, state, { carried }) => {
    const { credential } = Carried.parse(carried)
    if (credential === undefined) throw new NothingToRenew('The flow came to its end without a renewed credential.')
    await endRotate(ports, state, credential)
  },
  fail: (ports, state, { failure, notes }) => endRotateFailed(ports, state, noted(failure, notes)),
}

/** Renews the credential that a control plane uses for one member. */
export const credentialRotateSteps = loopSteps(credentialRotate)
