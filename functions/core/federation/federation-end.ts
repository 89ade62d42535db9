import type { Write } from '../../store/write.ts'
import { driverSecretKey, memberTokenKey, nextMemberTokenKey } from '../access/credentials.ts'
import { OperationSuperseded } from '../errors.ts'
import { forgetEndedGrant } from '../grant/forget-grants.ts'
import { grantKeyOf, hostKey, unmarkHost, unmarkMember } from '../grant/loans.ts'
import { failWaiting, sendWaiting } from '../membership/begin-operation.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { describeFailure, type Failure, noted } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { openFederation, type Target, type WithOperation } from '../operation/subjects.ts'
import type { Ports, TablePorts } from '../ports.ts'
import { type Condition, withCondition } from '../values/status.ts'
import { withoutFullStop } from '../values/wording.ts'
import { releasedHost } from './created-host.ts'
import { CONTROL_PLANE_READY, type Federation, type FederationUpdate, type MembershipChange } from './federation.ts'
import { membersReady, settle } from './settle.ts'

type EndPorts = Pick<TablePorts, 'stores' | 'executions' | 'drivers' | 'clock' | 'newId' | 'log'> & Pick<Ports, 'cloud'>

const keyOf = (target: Target) => ({ projectId: target.projectId, id: target.entityId })

type Outcome = { failure: Failure } | { reason: string; warnings: readonly string[] }

const messageOf = (outcome: Outcome): Failure =>
  'failure' in outcome
    ? outcome.failure
    : { reason: outcome.reason, message: ['The control plane is up.', ...outcome.warnings].join(' ') }

const controlPlane = (ports: EndPorts, federation: Federation, outcome: Outcome): Condition => ({
  type: CONTROL_PLANE_READY,
  status: 'failure' in outcome ? 'False' : 'True',
  ...messageOf(outcome),
  observedRevision: federation.revision + 1,
  changedAt: ports.clock.now().toISOString(),
})

/**
 * The open run of changes, or a new one: while it is open, the reconciler finds the federation, so that a crash before `settle` can't
 * leave it in progress.
 */
const openChange = (ports: EndPorts, federation: Federation): MembershipChange =>
  federation.change ?? {
    id: ports.newId(),
    deadline: new Date(ports.clock.now().getTime() + DEADLINE_SECONDS['member-join'] * 1000).toISOString(),
  }

/** After the federation's own operation: those that waited go on, and whoever sees nothing moving closes. Safe at any time. */
export const afterFederationEnd = async (ports: EndPorts, key: { projectId: string; id: string }): Promise<void> => {
  await sendWaiting(ports, key)
  await settle(ports, key)
}

/**
 * Runs something that ends the federation's own operation, and does what follows if the end is already written: for a step that is run
 * again after a crash between the two.
 *
 * @throws OperationSuperseded all the same
 */
export const orFollowUp = async <T>(ports: EndPorts, target: Target, run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof OperationSuperseded) await afterFederationEnd(ports, keyOf(target))
    throw error
  }
}

/** Ends the federation's own operation, leaving the result to `settle`. */
const endOwn = async (
  ports: EndPorts,
  target: Target,
  updateFor: (federation: WithOperation<Federation>) => FederationUpdate | Promise<FederationUpdate>,
): Promise<void> => {
  await orFollowUp(ports, target, () =>
    retryOnConflict(async () => {
      const federation = await openFederation(ports, target)
      const update = { operation: null, updatedAt: ports.clock.now().toISOString(), ...(await updateFor(federation)) }
      await ports.stores.commit([ports.stores.federations.change(federation, update)])
    }),
  )
  await afterFederationEnd(ports, keyOf(target))
}

/** All conditions of a federation at the end of its operation. */
type ConditionsOf = (ports: EndPorts, federation: Federation, warnings: readonly string[]) => Condition[]

/** What ControlPlaneReady says after a change of one that is up; a fault that an observation found is a later observation's to take back. */
const warnedAfterUpdate: ConditionsOf = (ports, federation, warnings) => {
  const said = federation.conditions.find(({ type, status }) => type === CONTROL_PLANE_READY && status === 'True')
  if (said === undefined) return [...federation.conditions]
  return withCondition(federation.conditions, controlPlane(ports, federation, { reason: said.reason, warnings }))
}

const warnedAfterCreate: ConditionsOf = (ports, federation, warnings) =>
  withCondition(federation.conditions, controlPlane(ports, federation, { reason: 'Created', warnings }))

/** The end of what may have moved the control plane's address, and after which members move. */
const endWith =
  (conditionsOf: ConditionsOf) =>
  (
    ports: EndPorts,
    target: Target,
    endpointOf: (federation: Federation) => Promise<string | null>,
    warnings: readonly string[] = [],
  ): Promise<void> =>
    endOwn(ports, target, async (federation) => ({
      propertiesInForce: null,
      endpoint: await endpointOf(federation),
      statusReason: null,
      change: openChange(ports, federation),
      conditions: conditionsOf(ports, federation, warnings),
    }))

/**
 * The control plane is up: those that waited join now, and the last of them completes the create. `warnings` say in sentences what works in part
 * only. @throws OperationSuperseded
 */
export const endFederationCreate = endWith(warnedAfterCreate)

/** The changed properties are in force, and may have moved the control plane's address; as `endFederationCreate`. @throws OperationSuperseded */
export const endFederationUpdate = endWith(warnedAfterUpdate)

/**
 * The properties could not be put in force; memberships that move go on.
 *
 * @param endpointOf the address may have moved before the failure, and kubeconfigs with it. Default: it is as it was
 * @throws OperationSuperseded
 */
export const endFederationUpdateFailed = (
  ports: EndPorts,
  target: Target,
  failure: Failure,
  endpointOf: (federation: Federation) => Promise<string | null> = async ({ endpoint }) => endpoint,
): Promise<void> =>
  endOwn(ports, target, async (federation) => ({
    endpoint: await endpointOf(federation),
    statusReason: describeFailure(failure),
    change: { ...openChange(ports, federation), failure },
  }))

/** Gives back the namespaces of the host that were reserved for it. A host that is gone took its reservations' meaning with it. */
const releasedNamespaces = async (ports: EndPorts, federation: Federation): Promise<Write[]> => {
  const host = await ports.stores.clusters.get(hostKey(federation))
  const uid = host?.identity?.uid
  if (uid === undefined) return []
  const driver = ports.drivers.federation.resolve(federation.driver)
  return driver
    .hostNamespaces(federation)
    .map((namespace) =>
      ports.stores.federations.releaseNamespace({ projectId: federation.projectId, uid }, namespace, federation.id),
    )
}

/** Removes what the driver keeps under seal. */
const forgottenDocuments = ({ stores }: EndPorts, federation: Federation): Write[] =>
  federation.driverSecrets.map((name) => stores.credentials.remove(driverSecretKey(federation, name)))

const withSentence = ({ reason, message }: Failure, sentence: string | null | undefined): Failure => ({
  reason,
  message: sentence ? `${withoutFullStop(message)}. ${sentence}` : message,
})

/**
 * Undo is over: only a delete can follow. `notes` say what undo could not take back; then the host's namespaces stay reserved, and a host that was created
 * with the federation stays for the delete to try again.
 *
 * @throws OperationSuperseded
 */
export const endFederationCreateFailed = async (
  ports: EndPorts,
  target: Target,
  failure: Failure,
  notes: readonly string[],
): Promise<void> => {
  const clean = notes.length === 0
  await openFederation(ports, target)
  await failWaiting(ports, keyOf(target), {
    reason: 'FederationCreateFailed',
    message: `The federation's control plane could not be created: ${describeFailure(failure)}`,
  })
  const host = await retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const released = clean ? await releasedHost(ports, federation) : null
    const said = withSentence(noted(failure, notes), released?.sentence)
    await ports.stores.commit([
      ports.stores.federations.change(federation, {
        status: 'CREATE_FAILED',
        statusReason: describeFailure(said),
        operation: null,
        change: null,
        ...(clean ? { made: [], driverSecrets: [], renewAfter: null } : {}),
        ...(released?.goes && federation.createdHost
          ? { createdHost: { ...federation.createdHost, state: 'gone' } }
          : {}),
        conditions: withCondition(federation.conditions, controlPlane(ports, federation, { failure })),
        updatedAt: ports.clock.now().toISOString(),
      }),
      ...(clean ? [...(await releasedNamespaces(ports, federation)), ...forgottenDocuments(ports, federation)] : []),
      ...(released?.writes ?? []),
      ownerEvent(ports, 'federation', federation, { action: 'create', outcome: 'failure', ...said }),
    ])
    return released
  })
  await host?.followUp(ports)
}

const WAY_OUT =
  'Mend that and delete again, or delete with ?force=true, which skips what can’t be reached and says what stays behind.'

/** Something of it could not be removed: it stays, to be deleted again. @throws OperationSuperseded */
export const endFederationDeleteFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const now = ports.clock.now()
    // Members that left before it failed: nothing is said of them any more.
    const members = membersReady(federation, await ports.stores.memberships.listOf(federation), now)
    const remedy = federation.operation.force ? [] : [WAY_OUT]
    const sentences = [describeFailure(failure), ...(federation.change?.leftBehind ?? []), ...remedy]
    await ports.stores.commit([
      ports.stores.federations.change(federation, {
        status: 'DELETE_FAILED',
        statusReason: sentences.join(' '),
        operation: null,
        change: null,
        conditions: withCondition(federation.conditions, members),
        updatedAt: now.toISOString(),
      }),
      ownerEvent(ports, 'federation', federation, { action: 'delete', outcome: 'failure', ...failure }),
    ])
  })

/** Removes what is left of memberships: items whose join failed, and secrets of any. */
const removedMembers = async (ports: EndPorts, federation: Federation): Promise<void> => {
  const { memberships, credentials, commit } = ports.stores
  for (const membership of await memberships.listOf(federation)) {
    await commit([
      memberships.remove(membership),
      credentials.remove(memberTokenKey(membership)),
      credentials.remove(nextMemberTokenKey(membership)),
      ...unmarkMember(ports.stores, membership),
    ])
  }
}

/** Gone, with its reservations and its mark on the host. `notes` say what a forced delete left behind. @throws OperationSuperseded */
export const endFederationDelete = async (ports: EndPorts, target: Target, notes: readonly string[]): Promise<void> => {
  const { federation, host } = await removeFederation(ports, target, notes)
  const { hostLoan, hostClusterId } = federation
  if (hostLoan !== undefined) await forgetEndedGrant(ports, grantKeyOf(hostLoan, hostClusterId))
  await host.followUp(ports)
}

const removeFederation = (ports: EndPorts, target: Target, notes: readonly string[]) =>
  retryOnConflict(async () => {
    const federation = await openFederation(ports, target)
    const { federations, commit } = ports.stores
    await removedMembers(ports, federation)
    const left = [...(federation.change?.leftBehind ?? []), ...notes]
    const released = await releasedHost(ports, federation)
    const { sentence } = released
    await commit([
      federations.remove(federation),
      ...(released.goes ? released.writes : unmarkHost(ports.stores, federation)),
      ...(await releasedNamespaces(ports, federation)),
      ...forgottenDocuments(ports, federation),
      ownerEvent(ports, 'federation', federation, {
        action: 'delete',
        outcome: 'success',
        reason: left.length === 0 ? 'Deleted' : 'LeftBehind',
        message: [
          ...(left.length === 0 ? [`Federation ${federation.name} was deleted; nothing was left behind.`] : left),
          ...(sentence === null ? [] : [sentence]),
        ].join(' '),
      }),
    ])
    return { federation, host: released }
  })
