import { endClusterCreate, endClusterCreateFailed } from '../core/cluster/cluster-create-end.ts'
import { endClusterDelete, endClusterDeleteFailed } from '../core/cluster/cluster-delete-end.ts'
import { endClusterUpdate, endClusterUpdateFailed, taskOf } from '../core/cluster/cluster-update-end.ts'
import {
  CERTIFICATES_CURRENT,
  CONTROL_PLANE_READY,
  type Federation,
  type FederationUpdate,
  isHostEmpty,
  isInitialized,
} from '../core/federation/federation.ts'
import {
  endFederationCreate,
  endFederationCreateFailed,
  endFederationDelete,
  endFederationDeleteFailed,
  endFederationUpdate,
  endFederationUpdateFailed,
  orFollowUp,
} from '../core/federation/federation-end.ts'
import {
  certificatesCurrent,
  endFederationRotate,
  endFederationRotateFailed,
} from '../core/federation/rotate-federation.ts'
import { endJoin, endJoinFailed, endRotate, endRotateFailed, endUnjoin } from '../core/membership/membership-end.ts'
import { abandonUnjoin } from '../core/operation/give-up.ts'
import { type Flow, noted } from '../core/operation/operation.ts'
import { openFederation, openMembership, type WithOperation } from '../core/operation/subjects.ts'
import { describeObject, mergeObjectRefs } from '../core/values/object-ref.ts'
import type { PreflightFailed } from '../drivers/contract/errors.ts'
import type { FederationContext } from '../drivers/contract/federation-driver.ts'
import type { Phase } from '../drivers/contract/phase.ts'
import { ofCluster, updatePhases } from './entities/cluster.ts'
import {
  candidateCredential,
  storeCandidateResult,
  storeClusterResult,
  storedCredential,
} from './entities/cluster-results.ts'
import { ofFederation } from './entities/federation.ts'
import { endpointIfKnown, endpointOf } from './entities/federation-results.ts'
import { carriedCredential, carriedWarning, ofMembership } from './entities/membership.ts'
import type { Loop } from './loop.ts'
import { phasesAfterDeletion, phasesAfterRotation, phasesBeforeRotation } from './phases/cloud.ts'
import { hostPhase, preflightPhase, UNJOIN_MEMBERS, unjoinMembersPhase } from './phases/federation.ts'
import { identityPhases, managementPhases, managementPhasesOfCredential } from './phases/management.ts'
import { JOIN_PHASES, rotatePhases, unjoinPhases } from './phases/member.ts'
import { peoplePhases } from './phases/people.ts'
import { failureOf, NothingToRenew, type StepPorts, type StepState } from './step.ts'

const PREFLIGHT_FAILED: PreflightFailed['name'] = 'PreflightFailed'

/** True when the host was found unfit before anything was made: then there is nothing to take back, in a host that may not even answer. */
const isRefused = ({ made, operation }: WithOperation<Federation>, state: StepState): boolean =>
  made.length === 0 && failureOf(state, operation.failure).reason === PREFLIGHT_FAILED

/** True when its create ended before anything was made: there is nothing in the host to be removed, which may not answer any more. */
const isNothingMade = (federation: Federation): boolean =>
  federation.made.length === 0 &&
  !isInitialized(federation) &&
  // Said by the create's end. One that a delete took over may have made what it had no time to note.
  federation.conditions.some(({ type, status }) => type === CONTROL_PLANE_READY && status === 'False')

/** Of a host that holds nothing of the federation nothing is taken back: it has no API server yet. */
const withoutUndo = ({ undo: _, ...phase }: Phase<FederationContext>): Phase<FederationContext> => phase

/** What a delete left behind: a forced one may leave anything that was made in the host. */
const leftInHost = async (ports: StepPorts, state: StepState, notes: readonly string[]): Promise<string[]> => {
  const federation = await openFederation(ports, state)
  const { made, operation } = federation
  if (notes.length === 0 || (!operation.force && isNothingMade(federation))) return []
  const perhaps = operation.force ? made : []
  return [
    `The federation was deleted, but: ${notes.join('; ')}.`,
    ...(perhaps.length > 0 ? [`Look for: ${perhaps.map(describeObject).join(', ')}.`] : []),
  ]
}

/** A date that did not move would start the next rotation at once. @throws NothingToRenew */
const requireRenewed = async (ports: StepPorts, state: StepState): Promise<void> => {
  const { renewAfter, driver } = await openFederation(ports, state)
  if (renewAfter === null || renewAfter > ports.clock.now().toISOString()) return
  throw new NothingToRenew(`Driver ${driver} renewed nothing: renewal is still due since ${renewAfter}.`)
}

const isReported = ({ conditions }: Federation, message: string): boolean =>
  conditions.some((it) => it.type === CERTIFICATES_CURRENT && it.status === 'Unknown' && it.message === message)

/** What a rotation waits for is reported in its condition: the federation's status stays as it is. */
const reportRenewal = (ports: StepPorts, federation: Federation, message: string): FederationUpdate =>
  isReported(federation, message)
    ? {}
    : { conditions: certificatesCurrent(ports, federation, { status: 'Unknown', reason: 'Renewing', message }) }

/** With what is stored of a cluster. */
const AS_STORED = { task: () => null, credential: storedCredential, store: storeClusterResult }

/** Every flow: which entity it works on, its phases in order, and how it ends. All of them run in the loop. */
export const PLANS: Readonly<Record<Flow, Loop>> = {
  /** Registers or makes a cluster. */
  'cluster-create': ofCluster({
    ...AS_STORED,
    phases: (driver) => driver.phases.create,
    more: managementPhases,
    succeed: (ports, state) => endClusterCreate(ports, state),
    fail: (ports, state, { failure, notes }) => endClusterCreateFailed(ports, state, noted(failure, notes)),
  }),
  /** Changes a cluster; a new credential takes the place of the old one only when it is proved. */
  'cluster-update': ofCluster({
    phases: (driver, cluster) => updatePhases(driver, taskOf(cluster)),
    before: phasesBeforeRotation,
    more: (...of) => [...phasesAfterRotation(...of), ...identityPhases(...of), ...managementPhasesOfCredential(...of)],
    task: taskOf,
    credential: candidateCredential,
    store: storeCandidateResult,
    succeed: (ports, state, { notes }) => endClusterUpdate(ports, state, notes),
    fail: (ports, state, { failure, notes }) => endClusterUpdateFailed(ports, state, noted(failure, notes)),
  }),
  /** Takes down what the driver made, and forgets the cluster. */
  'cluster-delete': ofCluster({
    ...AS_STORED,
    before: peoplePhases,
    phases: (driver) => driver.phases.delete,
    more: phasesAfterDeletion,
    succeed: (ports, state, { notes, warnings }) => endClusterDelete(ports, state, [...notes, ...warnings]),
    fail: (ports, state, { failure, notes }) => endClusterDeleteFailed(ports, state, noted(failure, notes)),
  }),
  /** Brings a federation's control plane up, then sends its waiting members on. */
  'federation-create': ofFederation({
    before: (ports, state, federation) => (federation.createdHost ? [hostPhase(ports, state, federation)] : []),
    phases: ({ driver, federation, state }) => {
      if (isRefused(federation, state)) return []
      const phases = [preflightPhase(driver), ...driver.phases.create]
      return isHostEmpty(federation) ? phases.map(withoutUndo) : phases
    },
    succeed: (ports, state, { warnings }) =>
      endFederationCreate(ports, state, (federation) => endpointOf(ports, federation), warnings),
    fail: (ports, state, { failure, notes }) => endFederationCreateFailed(ports, state, failure, notes),
  }),
  /** Puts changed properties of a federation in force. */
  'federation-update': ofFederation({
    phases: ({ driver }) => driver.phases.update,
    withMembers: true,
    // Read first of all by RecordFailure, which may have died after its commit.
    operation: (ports, state, read) => orFollowUp(ports, state, read),
    succeed: (ports, state, { warnings }) =>
      endFederationUpdate(ports, state, (federation) => endpointOf(ports, federation), warnings),
    fail: (ports, state, { failure, notes }) =>
      endFederationUpdateFailed(ports, state, noted(failure, notes), (federation) =>
        endpointIfKnown(ports, federation),
      ),
  }),
  /** Unjoins every member, takes the control plane down, and forgets the federation. */
  'federation-delete': ofFederation({
    phases: ({ driver, federation, ports }) => [
      unjoinMembersPhase(ports, federation.operation),
      ...(isHostEmpty(federation) ? [] : driver.phases.delete),
    ],
    isLenient: (federation, { id }) => id !== UNJOIN_MEMBERS && isNothingMade(federation),
    succeed: async (ports, state, { notes }) =>
      endFederationDelete(ports, state, await leftInHost(ports, state, notes)),
    fail: (ports, state, { failure, notes }) => endFederationDeleteFailed(ports, state, noted(failure, notes)),
  }),
  /** Renews the certificates of a federation's control plane. */
  'federation-rotate': ofFederation({
    phases: ({ driver }) => driver.phases.rotate,
    report: reportRenewal,
    succeed: async (ports, state, { notes }) => {
      await requireRenewed(ports, state)
      await endFederationRotate(ports, state, notes)
    },
    fail: (ports, state, { failure, notes }) => endFederationRotateFailed(ports, state, noted(failure, notes)),
  }),
  /** One cluster joins one federation. */
  'member-join': ofMembership({
    phases: () => JOIN_PHASES,
    succeed: (ports, state, { carried }) => endJoin(ports, state, carriedWarning(carried)),
    fail: async (ports, state, { failure, leftovers, isUndone }) => {
      const { made } = await openMembership(ports, state)
      await endJoinFailed(ports, state, failure, isUndone ? leftovers : mergeObjectRefs(leftovers, made))
    },
  }),
  /** One cluster leaves one federation. */
  'member-unjoin': ofMembership({
    phases: ({ warnings }) => unjoinPhases(warnings),
    succeed: (ports, state, { leftovers, warnings }) => endUnjoin(ports, state, { leftovers, warnings }),
    fail: (ports, state, { failure, warnings }) => abandonUnjoin(ports, state, failure, warnings),
  }),
  /** Renews the credential that a control plane uses for one member. */
  'credential-rotate': ofMembership({
    phases: (_, operation) => rotatePhases(operation),
    succeed: (ports, state, { carried }) => endRotate(ports, state, carriedCredential(carried)),
    fail: (ports, state, { failure, notes }) => endRotateFailed(ports, state, noted(failure, notes)),
  }),
}
