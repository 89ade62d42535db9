import type { Write } from '../../store/write.ts'
import type { Cluster, ClusterOperation } from '../cluster/cluster.ts'
import { endClusterCreateFailed } from '../cluster/cluster-create-end.ts'
import { endClusterDeleteFailed } from '../cluster/cluster-delete-end.ts'
import { endClusterUpdateFailed } from '../cluster/cluster-update-end.ts'
import type { Federation, FederationOperation } from '../federation/federation.ts'
import {
  endFederationCreateFailed,
  endFederationDeleteFailed,
  endFederationUpdateFailed,
} from '../federation/federation-end.ts'
import { endFederationRotateFailed } from '../federation/rotate-federation.ts'
import { type Membership, membershipEntityId, operationOf } from '../membership/membership.ts'
import { endJoinFailed, endRotateFailed, endUnjoin, endUnjoinFailed } from '../membership/membership-end.ts'
import { flowOfMembership } from '../membership/membership-states.ts'
import type { Ports, TablePorts } from '../ports.ts'
import type { JsonObject } from '../values/json.ts'
import { withoutFullStop } from '../values/wording.ts'
import { executionOf, launch, replacedBy } from './launch.ts'
import type { Failure, Flow, Operation } from './operation.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { membershipKey, openCluster, openFederation, openMembership, type Target } from './subjects.ts'

/** An operation under way, and where it runs. */
export type RunningOperation = { flow: Flow; projectId: string; entityId: string; operation: Operation }

/** The attempt that runs. */
const targetOf = ({ projectId, entityId, operation }: RunningOperation): Target => ({
  projectId,
  entityId,
  operationId: operation.id,
  attempt: operation.attempt,
})

type Place = { kind: 'cluster' | 'federation' | 'membership'; projectId: string; entityId: string }
type Entity =
  | { kind: 'cluster'; entity: Cluster }
  | { kind: 'federation'; entity: Federation }
  | { kind: 'membership'; entity: Membership }

/** Reads an entity by kind and flow-input id; undefined when it is gone. */
export const readEntity = async (ports: Pick<Ports, 'stores'>, place: Place): Promise<Entity | undefined> => {
  const { clusters, federations, memberships } = ports.stores
  const { kind, projectId, entityId } = place
  if (kind === 'cluster') {
    const entity = await clusters.get({ projectId, id: entityId })
    return entity && { kind, entity }
  }
  if (kind === 'federation') {
    const entity = await federations.get({ projectId, id: entityId })
    return entity && { kind, entity }
  }
  const entity = await memberships.get(membershipKey({ projectId, entityId }))
  return entity && { kind, entity }
}

type Owned<K extends string> = { projectId: string; id: string; operation: Operation<K> | null }

const ownOperation = <K extends string>(
  { projectId, id: entityId, operation }: Owned<K>,
  flowOf: (kind: K) => Flow,
): RunningOperation | undefined =>
  operation === null ? undefined : { flow: flowOf(operation.kind), projectId, entityId, operation }

/** The operation that runs on an entity; undefined when none does. */
export const runningOperation = ({ kind, entity }: Entity): RunningOperation | undefined => {
  if (kind === 'cluster') return ownOperation(entity, (of) => `cluster-${of}`)
  if (kind === 'federation') return ownOperation(entity, (of) => `federation-${of}`)
  const operation = operationOf(entity)
  return operation === null
    ? undefined
    : {
        flow: flowOfMembership(operation.kind),
        projectId: entity.projectId,
        entityId: membershipEntityId(entity),
        operation,
      }
}

/** Seconds that an undo attempt may take. */
const UNDO_DEADLINE_SECONDS = 600

/** Seconds that an attempt may take which finds everything in place. */
const AGAIN_DEADLINE_SECONDS = 600

/** Undo that failed the same way this often is not tried again by itself. */
const ATTEMPTS_MAX = 3

const NOT_UNDONE = ['Undo was given up.']

type Ending = (ports: TablePorts, target: Target, failure: Failure) => Promise<void>

/**
 * An unjoin that can't be finished: with `force` the member goes anyway, and all that was made for it counts as left behind.
 *
 * @param warnings what the driver said of the workloads in it by then
 */
export const abandonUnjoin = async (
  ports: TablePorts,
  target: Target,
  failure: Failure,
  warnings: readonly string[] = [],
): Promise<void> => {
  const { operation, made } = await openMembership(ports, target)
  if (operation.force) return endUnjoin(ports, target, { leftovers: made, warnings })
  const message = [`${withoutFullStop(failure.message)}.`, ...warnings].join(' ')
  return endUnjoinFailed(ports, target, { ...failure, message })
}

const abandonJoin: Ending = async (ports, target, failure) => {
  const { made } = await openMembership(ports, target)
  return endJoinFailed(ports, target, failure, made)
}

const ENDINGS: Readonly<Record<Flow, Ending>> = {
  'cluster-create': endClusterCreateFailed,
  'cluster-update': endClusterUpdateFailed,
  'cluster-delete': endClusterDeleteFailed,
  'federation-create': (ports, target, failure) => endFederationCreateFailed(ports, target, failure, NOT_UNDONE),
  'federation-update': endFederationUpdateFailed,
  'federation-delete': endFederationDeleteFailed,
  'member-join': abandonJoin,
  'member-unjoin': abandonUnjoin,
  'credential-rotate': endRotateFailed,
  'federation-rotate': endFederationRotateFailed,
}

/**
 * Writes an operation's `*_FAILED` without undoing anything more: for undo that died too often.
 *
 * @throws OperationSuperseded when somebody else ended it
 */
export const giveUp = (ports: TablePorts, running: RunningOperation, failure: Failure): Promise<void> =>
  ENDINGS[running.flow](ports, targetOf(running), failure)

/** The same operation in a further attempt, whose first step ends the execution of the one before. */
const nextAttempt = ({ flow, operation }: RunningOperation, changes: Partial<Operation>): Operation => ({
  ...operation,
  attempt: operation.attempt + 1,
  supersedes: replacedBy(flow, operation),
  ...changes,
})

/** What a further attempt is written and started with. */
type NextPorts = Pick<Ports, 'stores' | 'executions' | 'log'>

const writeFor = async (ports: NextPorts, running: RunningOperation, next: Operation): Promise<Write> => {
  const target = targetOf(running)
  const { clusters, federations, memberships } = ports.stores
  if (running.flow.startsWith('cluster-')) {
    const cluster = await openCluster(ports, target)
    return clusters.change(cluster, { operation: next as ClusterOperation })
  }
  if (running.flow.startsWith('federation-')) {
    const federation = await openFederation(ports, target)
    return federations.change(federation, { operation: next as FederationOperation })
  }
  const membership = await openMembership(ports, target)
  return memberships.replace(membership, { ...membership, operation: next } as Membership)
}

/** @throws OperationSuperseded when the operation ended, or was tried again, meanwhile */
const startNext = async (
  ports: NextPorts,
  running: RunningOperation,
  changes: Partial<Operation>,
  progress?: JsonObject,
): Promise<void> => {
  const next = nextAttempt(running, changes)
  await retryOnConflict(async () => ports.stores.commit([await writeFor(ports, running, next)]))
  await launch(ports, { ...running, operation: next, ...(progress && { progress }) })
}

const inSeconds = ({ clock }: Pick<Ports, 'clock'>, seconds: number): string =>
  new Date(clock.now().getTime() + seconds * 1000).toISOString()

/**
 * Starts a further attempt of an operation, in undo mode.
 *
 * @throws OperationSuperseded when the operation ended, or was tried again, meanwhile
 */
export const startUndo = (ports: TablePorts, running: RunningOperation, failure: Failure): Promise<void> =>
  startNext(ports, running, {
    mode: 'undo',
    deadline: inSeconds(ports, UNDO_DEADLINE_SECONDS),
    // The first failure is the cause; later ones are undo's.
    failure: running.operation.failure ?? failure,
  })

/**
 * Starts a further attempt of an operation whose phases are all done: they find everything in place, and what is left is to record it.
 *
 * @throws OperationSuperseded when the operation ended, or was tried again, meanwhile
 */
export const startAgain = (ports: TablePorts, running: RunningOperation): Promise<void> =>
  startNext(ports, running, { deadline: inSeconds(ports, AGAIN_DEADLINE_SECONDS) })

/**
 * Goes on in another execution, since one can't have more than 25,000 events (Step Functions, quota "maximum execution history size"). The deadline
 * stays.
 *
 * @param progress where the one before it is
 * @throws OperationSuperseded when the operation ended, or was tried again, meanwhile
 */
export const goOnInNext = (ports: NextPorts, running: RunningOperation, progress: JsonObject): Promise<void> =>
  startNext(
    ports,
    running,
    {
      continued: (running.operation.continued ?? 0) + 1,
      // Those before it have ended.
      supersedes: [executionOf(running.flow, running.operation)],
    },
    progress,
  )

/** True when the last attempt that may be made is under way. Those that only went on do not count. */
export const isLastAttempt = ({ attempt, continued = 0 }: Operation): boolean => attempt - continued >= ATTEMPTS_MAX
