import { setTimeout as sleep } from 'node:timers/promises'
import { ExecutionStillRunning } from '../errors.ts'
import type { Ports } from '../ports.ts'
import type { JsonObject } from '../values/json.ts'
import {
  type ExecutionRef,
  executionName,
  type Flow,
  type FlowInput,
  type Operation,
  type OperationMode,
} from './operation.ts'

type NewOperation = {
  /** Default: a new one. */
  id?: string
  /** Seconds until the reconciler gives up on it. */
  deadlineSeconds: number
  force?: boolean
  /** Default: they stay. */
  workloads?: 'delete'
  revokes?: true
  supersedes?: readonly ExecutionRef[]
}

/** A new operation, first attempt, forwards. Goes into the entity with the same write as its `*_IN_PROGRESS`. */
export const newOperation = <K extends string>(
  ports: Pick<Ports, 'clock' | 'newId'>,
  kind: K,
  { id, deadlineSeconds, force = false, workloads, revokes, supersedes = [] }: NewOperation,
): Operation<K> => {
  const startedAt = ports.clock.now()
  return {
    id: id ?? ports.newId(),
    kind,
    attempt: 1,
    mode: 'do',
    startedAt: startedAt.toISOString(),
    deadline: new Date(startedAt.getTime() + deadlineSeconds * 1000).toISOString(),
    force,
    ...(workloads === undefined ? {} : { workloads }),
    ...(revokes === undefined ? {} : { revokes }),
    supersedes,
    failure: null,
  }
}

/** Where the execution of an operation's present attempt is. */
export const executionOf = (flow: Flow, operation: Pick<Operation, 'id' | 'attempt'>): ExecutionRef => ({
  flow,
  name: executionName(operation),
})

/** What an operation that replaces another has to stop: the running execution, and what that one may not have stopped yet. */
export const replacedBy = (
  flow: Flow,
  operation: Pick<Operation, 'id' | 'attempt' | 'supersedes'>,
): readonly ExecutionRef[] => [...operation.supersedes, executionOf(flow, operation)]

/** Updates in a row that each took the place of the one before: each has to be sure that all before it have ended. A deletion may always take over. */
export const REPLACED_MAX = 20

export type Launch = {
  flow: Flow
  projectId: string
  entityId: string
  operation: Operation
  /** Where it goes on; absent: at its beginning. */
  progress?: JsonObject
}

/**
 * Starts the execution of an operation that has been committed. A failure to start is logged and not thrown: the change is accepted
 * (202), and the reconciler starts what has no execution.
 */
export const launch = async (
  ports: Pick<Ports, 'executions' | 'log'>,
  { flow, projectId, entityId, operation, progress }: Launch,
): Promise<void> => {
  const mode: OperationMode = operation.mode
  const ids = { projectId, entityId, operationId: operation.id, attempt: operation.attempt }
  const input: FlowInput = { ...ids, mode, ...(progress && { result: { progress } }) }
  try {
    await ports.executions.start(executionOf(flow, operation), input)
  } catch (error) {
    ports.log.error('execution not started; the reconciler will', { flow, ...ids, error })
  }
}

/** Milliseconds that one step waits for stopped executions before its Retry tries again. */
const TIMEOUT_MS = 8000
const POLL_MS = 50
const POLL_MAX_MS = 500

const awaitStopped = async (ports: Pick<Ports, 'executions'>, ref: ExecutionRef, until: number): Promise<void> => {
  for (let pause = POLL_MS; ; pause = Math.min(pause * 2, POLL_MAX_MS)) {
    if ((await ports.executions.describe(ref)) !== 'running') return
    if (performance.now() >= until) {
      throw new ExecutionStillRunning(
        `Execution ${ref.name} of ${ref.flow} was asked to stop and still runs; waiting for it.`,
      )
    }
    await sleep(pause)
  }
}

/**
 * Ends the executions that an operation replaced, and waits until they no longer run: the first act of the operation's first step, so
 * that two executions never work on one entity. Can run again.
 *
 * @throws ExecutionStillRunning (retryable) after 8 s
 */
export const supersede = async (
  ports: Pick<Ports, 'executions'>,
  operation: Pick<Operation, 'id' | 'supersedes'>,
): Promise<void> => {
  const until = performance.now() + TIMEOUT_MS
  await Promise.all(
    operation.supersedes.map(async (ref) => {
      await ports.executions.stop(ref, `superseded by operation ${operation.id}`)
      await awaitStopped(ports, ref, until)
    }),
  )
}
