import type { Federation } from '../../domain/federation.ts'
import type { FederationDriver, MemberContext } from '../../drivers/contract/federation-driver.ts'
import { OperationSuperseded } from '../../operations/errors.ts'
import { hostAccess } from '../../operations/host-access.ts'
import { memberAccess, memberContext, type TokenOf } from '../../operations/member-context.ts'
import { type MembershipUnder, openMembership } from '../../operations/subjects.ts'
import { poll } from '../poll.ts'
import type { StepPorts, StepState } from '../step.ts'

/** A membership under an operation, and all that a driver needs to work on it. */
export type MemberSubject = {
  membership: MembershipUnder
  driver: FederationDriver
  context: MemberContext
  /** False when the member's cluster is no longer registered. */
  memberKnown: boolean
}

const federationOf = async (ports: StepPorts, membership: MembershipUnder): Promise<Federation> => {
  const { projectId, federationId, memberName } = membership
  const federation = await ports.stores.federations.get({ projectId, id: federationId })
  if (federation !== undefined) return federation
  throw new OperationSuperseded(`Federation ${federationId} is gone, and with it the membership of ${memberName}.`)
}

/**
 * Looks at a membership until done, as long as a step may. The membership is read again for each look, so that a step that was
 * superseded stops at its next look; connections are kept between looks.
 *
 * @throws OperationSuperseded
 */
export const withMember = async <T extends { done: boolean }>(
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
    return await poll(async () => {
      const membership = await openMembership(ports, state)
      const context = memberContext(ports, { federation, host, member: member.access, membership, tokenOf })
      return look({ membership, driver, context, memberKnown: member.known })
    }, performance.now() + ports.pollMs)
  } finally {
    host.close()
    member.access.close()
  }
}
