import type { Federation } from '../../domain/federation.ts'
import type { FederationDriver, MemberContext } from '../../drivers/contract/federation-driver.ts'
import { OperationSuperseded } from '../../operations/errors.ts'
import { hostAccess } from '../../operations/host-access.ts'
import { memberAccess, memberContext, type TokenOf } from '../../operations/member-context.ts'
import { type MembershipUnder, openMembership } from '../../operations/subjects.ts'
import { poll } from '../poll.ts'
import type { StepPorts, StepState } from '../step.ts'
import { tellLook, tellRetry } from './tell-progress.ts'

/** A membership under an operation, and all that a driver needs to work on it. */
export type MemberSubject = {
  membership: MembershipUnder
  driver: FederationDriver
  context: MemberContext
  /** False when the member's cluster is no longer registered. */
  memberKnown: boolean
}

/** How a step looks at its membership. */
export type MemberLook = {
  tokenOf: TokenOf
  /** Which step of which, as readers see it while it has to wait: "2/4 preparing". Undefined: nothing is told. */
  title?: string
}

const federationOf = async (ports: StepPorts, membership: MembershipUnder): Promise<Federation> => {
  const { projectId, federationId, memberName } = membership
  const federation = await ports.stores.federations.get({ projectId, id: federationId })
  if (federation !== undefined) return federation
  throw new OperationSuperseded(`Federation ${federationId} is gone, and with it the membership of ${memberName}.`)
}

const untilDone = async <T extends { done: boolean }>(
  ports: StepPorts,
  state: StepState,
  tokenOf: TokenOf,
  look: (subject: MemberSubject) => Promise<T>,
): Promise<T> => {
  const first = await openMembership(ports, state)
  const federation = await federationOf(ports, first)
  const driver = ports.drivers.federation.resolve(federation.driver)
  const [host, member] = await Promise.all([hostAccess(ports, federation), memberAccess(ports, first)])
  try {
    let seen: MembershipUnder | undefined = first
    return await poll(async () => {
      const membership = seen ?? (await openMembership(ports, state))
      seen = undefined
      const context = memberContext(ports, { federation, host, member: member.access, membership, tokenOf })
      return look({ membership, driver, context, memberKnown: member.known })
    }, performance.now() + ports.pollMs)
  } finally {
    host.close()
    member.access.close()
  }
}

/**
 * Looks at a membership until done, as long as a step may. The membership is read again for each look, so that a step that was
 * superseded stops at its next look; connections are kept between looks. While a look has to be repeated, or a fault tried again, the
 * membership's `progress` says why.
 *
 * @throws OperationSuperseded
 */
export const withMember = async <T extends { done: boolean; waitingFor?: string }>(
  ports: StepPorts,
  state: StepState,
  { tokenOf, title }: MemberLook,
  look: (subject: MemberSubject) => Promise<T>,
): Promise<T> => {
  const told = async (subject: MemberSubject): Promise<T> => {
    const result = await look(subject)
    if (title !== undefined) await tellLook(ports, state, title, { membership: subject.membership, result })
    return result
  }
  try {
    return await untilDone(ports, state, tokenOf, told)
  } catch (error) {
    if (title !== undefined) await tellRetry(ports, state, title, error)
    throw error
  }
}
