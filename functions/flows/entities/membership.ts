import * as z from 'zod'
import type { OpenClusterAccess } from '../../core/access/cluster-access.ts'
import { OperationSuperseded } from '../../core/errors.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { hostAccess } from '../../core/federation/federation-context.ts'
import { memberAccess, memberContext, storedToken, type TokenOf } from '../../core/membership/member-context.ts'
import type { MemberCredential, MemberWarning } from '../../core/membership/membership.ts'
import { orSettle } from '../../core/membership/membership-end.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { atHandFirst } from '../../core/operation/retry-on-conflict.ts'
import { type MembershipUnder, openMembership, type Target } from '../../core/operation/subjects.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { FederationDriver, MemberContext } from '../../drivers/contract/federation-driver.ts'
import { type BoundPhase, type Loop, type LoopSubject, type PhaseResult, whileOpen } from '../loop.ts'
import { type Progress, progressOf } from '../progress.ts'
import { NothingToRenew, type StepPorts } from '../step.ts'
import { type ReadMembership, reportProgress } from './membership-results.ts'

/** A membership under an operation as it is now, and all that a driver needs to work on it. */
export type MemberWork = ReadMembership & { driver: FederationDriver; context: MemberContext }

/** A phase of a member's flow. Acts observe first and store what came of them. */
export type MemberPhase = {
  id: string
  title: string
  /** Which token the driver is shown while it acts; undo is shown the stored one. Default: the stored one. */
  tokenOf?: TokenOf
  /** True: noted and passed over when it fails, although nothing was forced, in a member that is no longer registered. */
  isLenientWithoutMember?: boolean
  /** The cluster it works in: what was made there counts as left behind when the phase is passed over. */
  leavesIn?: 'host' | 'member'
  ensure(work: MemberWork): Promise<PhaseResult>
  undo?(work: MemberWork): Promise<PhaseResult>
}

const federationOf = async (ports: StepPorts, membership: MembershipUnder): Promise<Federation> => {
  const { projectId, federationId, memberName } = membership
  const federation = await ports.stores.federations.get({ projectId, id: federationId })
  if (federation !== undefined) return federation
  throw new OperationSuperseded(`Federation ${federationId} is gone, and with it the membership of ${memberName}.`)
}

/** All that one step has open of a membership. */
type Opened = {
  ports: StepPorts
  target: Target
  federation: Federation
  driver: FederationDriver
  host: OpenClusterAccess
  member: { access: OpenClusterAccess; known: boolean }
  /** The membership as it is now: the first reading for the first call, a new one for each call after it. */
  read(): Promise<MembershipUnder>
}

/** The operation's deadline bounds what is waited for; no phase has one of its own. */
const PHASE_SECONDS = DEADLINE_SECONDS['member-join']

type Act = (work: MemberWork) => Promise<PhaseResult>

const bind = (opened: Opened, phase: MemberPhase, note: (membership: MembershipUnder) => void): BoundPhase => {
  const { ports, target, federation, driver, host, member } = opened
  const { id, title, undo, leavesIn } = phase
  const run = async (act: Act, tokenOf: TokenOf): Promise<PhaseResult> => {
    const membership = await opened.read()
    note(membership)
    const context = memberContext(ports, { federation, host, member: member.access, membership, tokenOf })
    return act({ ports, target, membership, driver, context })
  }
  return {
    id,
    title,
    deadlineSeconds: PHASE_SECONDS,
    isLenient: phase.isLenientWithoutMember === true && !member.known,
    ensure: () => run((work) => phase.ensure(work), phase.tokenOf ?? storedToken),
    undo: undo && (() => run((work) => undo(work), storedToken)),
    ...(leavesIn && {
      leftBehind: async () => {
        const { made } = await openMembership(ports, target)
        return made.filter(({ where }) => (where === 'member') === (leavesIn === 'member'))
      },
    }),
  }
}

/**
 * A membership under an operation, with these phases bound to it. What is reported shows as the member's `progress`.
 *
 * @throws OperationSuperseded, DriverNotFound
 */
const membershipSubject = async (
  unguarded: StepPorts,
  target: Target,
  phasesOf: (operation: Operation) => readonly MemberPhase[],
): Promise<LoopSubject> => {
  const ports = whileOpen(unguarded, () => openMembership(unguarded, target))
  const first = await orSettle(ports, target, () => openMembership(ports, target))
  const federation = await federationOf(ports, first)
  const driver = ports.drivers.federation.resolve(federation.driver)
  const [host, member] = await Promise.all([hostAccess(ports, federation), memberAccess(ports, first)])
  const read = atHandFirst(first, () => openMembership(ports, target))
  const opened = { ports, target, federation, driver, host, member, read }
  let reported: string | undefined
  const note = (membership: MembershipUnder): void => {
    reported = 'progress' in membership ? membership.progress : undefined
  }
  return {
    operation: first.operation,
    phases: phasesOf(first.operation).map((phase) => bind(opened, phase, note)),
    endsInTime: true,
    report: (progress) => reportProgress(ports, target, progress),
    takeBack: async (beginning) => {
      if (reported?.startsWith(beginning)) await reportProgress(ports, target, undefined)
    },
    close: () => {
      host.close()
      member.access.close()
    },
  }
}

const Warning = z.object({ reason: z.string(), message: z.string() }).nullable().default(null)

const Carried = z.object({
  warning: Warning,
  /** What executions of the release before this one call it; goes with the next. */
  remark: Warning,
  credential: z
    .object({
      kind: z.enum(['token-secret', 'token-request']),
      expiresAt: z.string().nullable(),
      renewAfter: z.string().nullable(),
    })
    .optional(),
})

/** What works in part only, as the control plane said when the member became ready. */
export const carriedWarning = (carried: JsonObject): MemberWarning | null => {
  const { warning, remark } = Carried.parse(carried)
  return warning ?? remark
}

/** What the renewed credential is; its token is stored sealed. @throws NothingToRenew */
export const carriedCredential = (carried: JsonObject): MemberCredential => {
  const { credential } = Carried.parse(carried)
  if (credential !== undefined) return credential
  throw new NothingToRenew('The flow came to its end without a renewed credential.')
}

/** What differs between the flows of a member. */
type MembershipPlan = Pick<Loop, 'succeed' | 'fail'> & {
  phases(before: Progress, operation: Operation): readonly MemberPhase[]
}

/**
 * A flow of a member. The federation settles also when the operation is over by now: a step that died after its commit had not come to that.
 */
export const ofMembership = (plan: MembershipPlan): Loop => ({
  operation: (ports, state) => orSettle(ports, state, async () => (await openMembership(ports, state)).operation),
  subject: (ports, state) =>
    membershipSubject(ports, state, (operation) => plan.phases(progressOf(state.progress), operation)),
  succeed: plan.succeed,
  fail: plan.fail,
})
