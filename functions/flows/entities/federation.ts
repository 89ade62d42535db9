import { discreetAccess, type OpenClusterAccess } from '../../core/access/cluster-access.ts'
import { ClusterGone } from '../../core/errors.ts'
import type { Federation, FederationUpdate } from '../../core/federation/federation.ts'
import { federationContext, hostAccess } from '../../core/federation/federation-context.ts'
import { memberAccess, memberContext, storedToken } from '../../core/membership/member-context.ts'
import { type Membership, WITHHELD } from '../../core/membership/membership.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { openFederation, type Target, type WithOperation } from '../../core/operation/subjects.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { CredentialMissing } from '../../drivers/contract/errors.ts'
import type { FederationContext, FederationDriver, MemberContext } from '../../drivers/contract/federation-driver.ts'
import type { Phase, StepResult } from '../../drivers/contract/phase.ts'
import {
  AddressForbidden,
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../../kubernetes/errors.ts'
import { type BoundPhase, type Loop, type LoopSubject, whileOpen } from '../loop.ts'
import { PhaseNotTried, type StepPorts, type StepState } from '../step.ts'
import { changeFederation, notingPhase, storeFederationResult } from './federation-results.ts'

/** Faults that every call to the host meets. A 5xx is none: it may be about one kind of objects only. */
const OUT_OF_REACH = [
  AddressForbidden,
  ClusterGone,
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  CredentialMissing,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  RequestTimedOut,
  TlsVerificationFailed,
]

type InHost = () => Promise<StepResult>

/**
 * Runs phases that all work in one host. Where faults are passed over (undo, and deletes by force) the first phase that is given up because the host is
 * out of reach is the last that is tried: one wait in place of one for each phase. A phase that comes after it in the same step throws PhaseNotTried.
 */
const inOneHost = (): ((act: InHost) => Promise<StepResult>) => {
  // A phase that is to be tried again ends its step: what comes after a fault in the same step is another phase.
  let isLost = false
  return async (act) => {
    if (isLost) throw new PhaseNotTried('The host is out of reach.')
    try {
      return await act()
    } catch (error) {
      isLost = isAppError(error) && OUT_OF_REACH.some((kind) => error instanceof kind)
      throw error
    }
  }
}

/** The members that an update may reach into, and the connections to them. */
type MembersInRest = {
  /** Of members whose state is Ready or Degraded. */
  contexts(federation: Federation): Promise<MemberContext[]>
  close(): void
}

/** What fails in a member of another project shows as the federation's own failure. */
const accessFor = async (ports: StepPorts, membership: Membership): Promise<OpenClusterAccess> => {
  const { access } = await memberAccess(ports, membership)
  return membership.loan === undefined ? access : discreetAccess(access, `${membership.memberName}: ${WITHHELD}`)
}

/** Opens accesses to members as they are asked for, each cluster once. The maker closes them. */
const membersInRest = (ports: StepPorts, host: OpenClusterAccess): MembersInRest => {
  const opened = new Map<string, OpenClusterAccess>()
  return {
    contexts: async (federation) => {
      const memberships = await ports.stores.memberships.listOf(federation)
      const settled = memberships.filter(({ state }) => state === 'Ready' || state === 'Degraded')
      return Promise.all(
        settled.map(async (membership) => {
          const member = opened.get(membership.clusterId) ?? (await accessFor(ports, membership))
          opened.set(membership.clusterId, member)
          return memberContext(ports, { federation, host, member, membership, tokenOf: storedToken })
        }),
      )
    },
    close: () => {
      for (const access of opened.values()) access.close()
    },
  }
}

/** What a plan may check to decide on its phases. */
type Planning = { driver: FederationDriver; federation: WithOperation<Federation>; ports: StepPorts; state: StepState }

/** What differs between the flows of a federation. */
type FederationPlan = Pick<Loop, 'succeed' | 'fail'> & {
  phases(planning: Planning): readonly Phase<FederationContext>[]
  /** Phases of the core, before the others. Default: none. */
  before?(ports: StepPorts, target: Target, federation: WithOperation<Federation>): readonly BoundPhase[]
  /** Phases that are noted and passed over when they fail, in any operation. Default: none. */
  isLenient?(federation: Federation, phase: Phase<FederationContext>): boolean
  /** True when phases are given the members, for an update that reaches into them. */
  withMembers?: boolean
  /** Where progress is reported. Default: `status_reason`. */
  report?(ports: StepPorts, federation: Federation, progress: string): FederationUpdate
  /** Around the reading of the operation after a failure. */
  operation?(ports: StepPorts, state: StepState, read: () => Promise<Operation>): Promise<Operation>
}

type Bound = {
  ports: StepPorts
  target: Target
  host: OpenClusterAccess
  members: MembersInRest | undefined
  inHost: ReturnType<typeof inOneHost>
}

type Act = (context: FederationContext) => Promise<StepResult>

const bind = ({ ports, target, host, members, inHost }: Bound, phase: Phase<FederationContext>): BoundPhase => {
  const acted = async (act: Act): Promise<StepResult> => {
    const federation = await openFederation(ports, target)
    const context = federationContext(ports, federation, host)
    const result = await notingPhase(ports, target, () =>
      act(members ? { ...context, members: () => members.contexts(federation) } : context),
    )
    await storeFederationResult(ports, target, result)
    return result
  }
  const run = (act: Act): Promise<StepResult> => inHost(() => acted(act))
  const { id, title, deadlineSeconds, undo } = phase
  return {
    id,
    title,
    deadlineSeconds,
    ensure: () => run((context) => phase.ensure(context)),
    undo: undo && (() => run((context) => undo.call(phase, context))),
  }
}

/** A federation under an operation, with the phases of `plan` bound to it. @throws OperationSuperseded, DriverNotFound */
const federationSubject = async (
  unguarded: StepPorts,
  state: StepState,
  plan: FederationPlan,
): Promise<LoopSubject> => {
  const ports = whileOpen(unguarded, () => openFederation(unguarded, state))
  const federation = await openFederation(ports, state)
  const driver = ports.drivers.federation.resolve(federation.driver)
  const host = await hostAccess(ports, federation)
  const members = plan.withMembers ? membersInRest(ports, host) : undefined
  const bound: Bound = { ports, target: state, host, members, inHost: inOneHost() }
  return {
    operation: federation.operation,
    phases: [
      ...(plan.before?.(ports, state, federation) ?? []),
      ...plan
        .phases({ driver, federation, ports, state })
        .map((phase) => ({ ...bind(bound, phase), isLenient: plan.isLenient?.(federation, phase) ?? false })),
    ],
    report: (progress) =>
      changeFederation(ports, state, (read) => plan.report?.(ports, read, progress) ?? { statusReason: progress }),
    close: () => {
      host.close()
      members?.close()
    },
  }
}

/** A flow of a federation. */
export const ofFederation = (plan: FederationPlan): Loop => ({
  operation: (ports, state) => {
    const read = async (): Promise<Operation> => (await openFederation(ports, state)).operation
    return plan.operation ? plan.operation(ports, state, read) : read()
  },
  subject: (ports, state) => federationSubject(ports, state, plan),
  succeed: plan.succeed,
  fail: plan.fail,
})
