import type { Federation, FederationUpdate } from '../../domain/federation.ts'
import type { FederationContext, FederationDriver } from '../../drivers/contract/federation-driver.ts'
import type { Phase, StepResult } from '../../drivers/contract/phase.ts'
import type { OpenClusterAccess } from '../../operations/cluster-access.ts'
import { federationContext } from '../../operations/federation-context.ts'
import { hostAccess } from '../../operations/host-access.ts'
import { openFederation, type Target } from '../../operations/subjects.ts'
import type { BoundPhase, LoopSubject } from '../loop/loop.ts'
import type { StepPorts } from '../step.ts'
import { changeFederation, notingPhase, storeFederationResult } from './federation-results.ts'
import { type MembersInRest, membersInRest } from './members-in-rest.ts'

/** What differs between the flows of a federation. */
export type FederationPlan = {
  phases(driver: FederationDriver): readonly Phase<FederationContext>[]
  /** True when phases are given the members, for an update that reaches into them. */
  withMembers?: boolean
  /** Where progress is told. Default: `status_reason`. */
  tell?(federation: Federation, progress: string): FederationUpdate
}

type Bound = { ports: StepPorts; target: Target; host: OpenClusterAccess; members: MembersInRest | undefined }

const bind = ({ ports, target, host, members }: Bound, phase: Phase<FederationContext>): BoundPhase => {
  const run = async (act: (context: FederationContext) => Promise<StepResult>): Promise<StepResult> => {
    const federation = await openFederation(ports, target)
    const context = federationContext(ports, federation, host)
    const result = await notingPhase(ports, target, () =>
      act(members ? { ...context, members: () => members.contexts(federation) } : context),
    )
    await storeFederationResult(ports, target, result)
    return result
  }
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
export const federationSubject = async (
  ports: StepPorts,
  target: Target,
  plan: FederationPlan,
): Promise<LoopSubject> => {
  const federation = await openFederation(ports, target)
  const driver = ports.drivers.federation.resolve(federation.driver)
  const host = await hostAccess(ports, federation)
  const members = plan.withMembers ? membersInRest(ports, host) : undefined
  return {
    operation: federation.operation,
    phases: plan.phases(driver).map((phase) => bind({ ports, target, host, members }, phase)),
    tell: (progress) =>
      changeFederation(ports, target, (read) => plan.tell?.(read, progress) ?? { statusReason: progress }),
    close: () => {
      host.close()
      members?.close()
    },
  }
}
