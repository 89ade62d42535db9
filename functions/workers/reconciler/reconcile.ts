import { OperationSuperseded } from '../../core/errors.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { afterFederationEnd } from '../../core/federation/federation-end.ts'
import { afterGrantEnd } from '../../core/grant/end-uses.ts'
import { failWaiting } from '../../core/membership/begin-operation.ts'
import {
  giveUp,
  isLastAttempt,
  type RunningOperation,
  readEntity,
  runningOperation,
  startAgain,
  startUndo,
} from '../../core/operation/give-up.ts'
import { executionOf, launch } from '../../core/operation/launch.ts'
import type { Failure } from '../../core/operation/operation.ts'
import type { ExecutionState, TablePorts } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { counted } from '../../core/values/wording.ts'
import { longestSilenceSeconds } from '../../core/values/workers.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { OpenWork } from '../../store/work.store.ts'
import { beat } from '../heartbeat.ts'

/** What one run did. */
export type ReconcileReport = {
  /** Entities checked. */
  seen: number
  /** Operations whose execution was not there. */
  started: number
  /** Operations whose execution was dead or too late, tried again in undo mode. */
  undone: number
  /** Operations whose undo died too often: `*_FAILED` was written. */
  givenUp: number
  /** Federations without an operation of their own whose memberships were looked after. */
  settled: number
  /** Entities that could not be looked after; the log says why. The next run tries again. */
  failed: number
  /** How far past its deadline the operation is that is past it most, as this run found it, seconds; 0 when none is. */
  overdueSeconds: number
  /** How long the worker has not reported that has not for the longest time, seconds. */
  silentSeconds: number
}

type Did = 'nothing' | 'started' | 'undone' | 'givenUp' | 'settled' | 'failed'

/** A create's time is the caller's choice, so its failure names it. */
const timedOut = ({ flow, operation }: RunningOperation): Failure => {
  const minutes = Math.round((Date.parse(operation.deadline) - Date.parse(operation.startedAt)) / 60_000)
  const message =
    flow === 'cluster-create'
      ? `The cluster was not ready within ${counted(minutes, 'minute')}, its create_timeout.`
      : 'The operation was not over by its deadline.'
  return { reason: 'OperationTimedOut', message }
}

const failureFor = (running: RunningOperation, state: ExecutionState): Failure =>
  state === 'running'
    ? timedOut(running)
    : { reason: 'ExecutionDied', message: `The execution ended (${state}) without writing the operation's end.` }

/** States of the definition in which all phases are done, and only the end has to be written. */
const RECORDING: ReadonlySet<string | undefined> = new Set(['RecordSuccess', 'WaitToRecord'])

/**
 * All phases are done, and their end could not be written: by a fault of the platform, or the machine would have gone to undo. While it runs it tries
 * again. When it is dead the phases are run again, and find everything in place.
 */
const recordAgain = async (ports: TablePorts, running: RunningOperation, state: ExecutionState): Promise<Did> => {
  const { flow, operation, entityId } = running
  ports.log.warn('success not recorded yet', { flow, entityId, attempt: operation.attempt, state })
  if (state === 'running') return 'nothing'
  await startAgain(ports, running)
  return 'started'
}

/** Ends an attempt that will not end by itself. */
const retire = async (ports: TablePorts, running: RunningOperation, state: ExecutionState): Promise<Did> => {
  const { flow, operation } = running
  const isRecording =
    operation.mode === 'do' && RECORDING.has(await ports.executions.lastState(executionOf(flow, operation)))
  if (isRecording && !isLastAttempt(operation)) return recordAgain(ports, running, state)
  if (state === 'running') await ports.executions.stop(executionOf(flow, operation), 'past its deadline')
  const failure = operation.failure ?? failureFor(running, state)
  ports.log.warn('operation retired', { flow, entityId: running.entityId, attempt: operation.attempt, state })
  if (isLastAttempt(operation)) {
    await giveUp(ports, running, failure)
    return 'givenUp'
  }
  await startUndo(ports, running, failure)
  return 'undone'
}

const reconcileOperation = async (ports: TablePorts, running: RunningOperation): Promise<Did> => {
  const { flow, operation } = running
  const state = await ports.executions.describe(executionOf(flow, operation))
  if (state === 'not-found') {
    await launch(ports, running)
    return 'started'
  }
  const inTime = ports.clock.now().toISOString() <= operation.deadline
  return state === 'running' && inTime ? 'nothing' : retire(ports, running, state)
}

/** A federation without an operation of its own: those that wait are sent on or failed, and it settles when nothing moves. */
const reconcileFederation = async (ports: TablePorts, federation: Federation): Promise<Did> => {
  if (federation.status === 'CREATE_FAILED') {
    await failWaiting(ports, federation, {
      reason: 'FederationCreateFailed',
      message: "The federation's control plane could not be created.",
    })
  }
  await afterFederationEnd(ports, federation)
  return 'settled'
}

const reconcileOne = async (ports: TablePorts, work: OpenWork): Promise<Did> => {
  const found = await readEntity(ports, work)
  if (found === undefined) return 'nothing'
  const running = runningOperation(found)
  if (running !== undefined) return reconcileOperation(ports, running)
  return found.kind === 'federation' ? reconcileFederation(ports, found.entity) : 'nothing'
}

/** Somebody else moved it meanwhile: that is what should be. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof OperationSuperseded || error instanceof RevisionConflict

const guarded = async (ports: TablePorts, work: OpenWork): Promise<Did> => {
  try {
    return await reconcileOne(ports, work)
  } catch (error) {
    if (isOvertaken(error)) return 'nothing'
    const { kind, projectId, entityId } = work
    const reported = loggedError(error)
    ports.log.error('not reconciled', { kind, projectId, entityId, ...reported })
    return 'failed'
  }
}

/** Grants that were revoked or have expired: what uses a cluster by one begins to leave, however the last try ended. */
const followUpGrants = async (ports: TablePorts): Promise<void> => {
  for await (const key of ports.stores.work.endedGrants(ports.clock.now().toISOString())) {
    try {
      await afterGrantEnd(ports, key)
    } catch (error) {
      if (isOvertaken(error)) continue
      const reported = loggedError(error)
      ports.log.error('grant not followed up', { ...key, ...reported })
    }
  }
}

const secondsPast = (deadline: string, now: Date): number => Math.floor((now.getTime() - Date.parse(deadline)) / 1000)

const NOTHING: ReconcileReport = {
  seen: 0,
  started: 0,
  undone: 0,
  givenUp: 0,
  settled: 0,
  failed: 0,
  overdueSeconds: 0,
  silentSeconds: 0,
}

/**
 * Looks after everything in progress, so that nothing stays so for ever (design section 3). Three triggers: schedule, failed execution,
 * boot; running twice at once does no harm, since every act is conditional on what was read.
 *
 * Execution not found → started. Running → left alone, past its deadline stopped and undone. Dead, or ended without writing its end →
 * undone by a further attempt; after three attempts `*_FAILED` is written without more undoing.
 */
export const reconcile = async (ports: TablePorts): Promise<ReconcileReport> => {
  const report = {
    ...NOTHING,
    silentSeconds: longestSilenceSeconds(await ports.stores.heartbeats.list(), ports.clock.now()),
  }
  for await (const work of ports.stores.work.open()) {
    report.seen += 1
    report.overdueSeconds = Math.max(report.overdueSeconds, secondsPast(work.deadline, ports.clock.now()))
    const did = await guarded(ports, work)
    if (did !== 'nothing') report[did] += 1
  }
  await followUpGrants(ports)
  if (report.seen > 0) ports.log.info('reconciled', report)
  await beat(ports, 'reconciler')
  return report
}
