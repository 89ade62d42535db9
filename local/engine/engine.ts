import type { ExecutionRef, Flow, FlowInput } from '../../functions/core/operation/operation.ts'
import type { Clock, ExecutionState, Executions, Logger } from '../../functions/core/ports.ts'
import { withinTimeout } from '../within-timeout.ts'
import { ConcurrencyLimit, type Turn } from './concurrency-limit.ts'
import type { Definitions } from './definition.ts'
import { type ExecutionEnd, type ExecutionRecord, executionKey, executionState } from './execution-record.ts'
import type { ExecutionTable } from './execution-table.ts'
import { Interpreter } from './interpreter.ts'
import { Run, type RunParts } from './run.ts'
import type { FlowHandler } from './task-binding.ts'

/** Told of each execution that failed, timed out or was aborted. */
export type OnUnsuccessfulEnd = (ref: ExecutionRef, end: ExecutionEnd) => void

export type EngineOptions = {
  table: ExecutionTable
  definitions: Definitions
  /** What all Tasks call. */
  handler: FlowHandler
  clock: Clock
  log: Logger
  onUnsuccessfulEnd?: OnUnsuccessfulEnd
  /** Executions that run at a time, beside an eighth for each project; those in a Wait state do not count. Default 32. */
  atOnce?: number
}

/** Enough for steps that wait for slow clusters, few enough beside hundreds of requests. */
const AT_ONCE = 32

/** Whose it is: input is JSON that `start` wrote, with the project in it. */
const projectOf = ({ input }: ExecutionRecord): string => {
  const { projectId } = JSON.parse(input) as Partial<FlowInput>
  return projectId ?? ''
}

/** How long `close` waits for calls of handlers that are under way, milliseconds. */
const CLOSE_TIMEOUT_MS = 1000

/**
 * Step Functions in this process: the deployed definition, a handler instead of the Lambda function, executions in a table. Each
 * execution writes where it is, so after a crash `resume` takes all open ones up again at the state that was interrupted.
 *
 * As on AWS steps must be idempotent: the interrupted state is run again, its retries are counted anew, a Wait starts anew.
 */
export class Engine implements Executions {
  readonly #options: EngineOptions
  readonly #interpreter: Interpreter
  /** Executions of this process, from before their record is written: `resume` leaves them alone. */
  readonly #claimed = new Set<string>()
  readonly #runs = new Map<string, Run>()
  readonly #limit: ConcurrencyLimit
  readonly #ends = new Set<Promise<void>>()
  #closing = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.#interpreter = new Interpreter(options.definitions)
    this.#limit = new ConcurrencyLimit(options.atOnce ?? AT_ONCE)
  }

  /** Imports the interpreter now instead of at the first execution. */
  async warmUp(): Promise<void> {
    await this.#interpreter.load()
  }

  async start(ref: ExecutionRef, input: FlowInput): Promise<void> {
    const key = executionKey(ref)
    if (this.#claimed.has(key)) return
    this.#claimed.add(key)
    try {
      await this.#begin(ref, JSON.stringify(input))
    } finally {
      if (!this.#runs.has(key) && !this.#limit.has(key)) this.#claimed.delete(key)
    }
  }

  async #begin(ref: ExecutionRef, data: string): Promise<void> {
    const parts = await this.#partsOf(ref.flow, this.#interpreter.definition(ref.flow).StartAt)
    const record: ExecutionRecord = {
      ...ref,
      status: 'RUNNING',
      input: data,
      at: parts.definition.StartAt,
      data,
      startedAt: this.#options.clock.now().toISOString(),
      resumed: 0,
    }
    if (await this.#options.table.insert(record)) this.#drive(record, parts)
  }

  async stop(ref: ExecutionRef, cause: string): Promise<void> {
    const end: ExecutionEnd = { status: 'ABORTED', cause }
    const key = executionKey(ref)
    if (this.#limit.has(key)) this.#claimed.delete(key)
    this.#limit.drop(key)
    this.#runs.get(key)?.stop()
    if (await this.#options.table.close(ref, end, this.#options.clock.now()))
      this.#options.onUnsuccessfulEnd?.(ref, end)
  }

  async describe(ref: ExecutionRef): Promise<ExecutionState> {
    const record = await this.#options.table.get(ref)
    return record ? executionState(record.status) : 'not-found'
  }

  async lastState(ref: ExecutionRef): Promise<string | undefined> {
    const record = await this.#options.table.get(ref)
    return record?.at
  }

  /** All executions that the table holds, oldest first. */
  async list(): Promise<ExecutionRecord[]> {
    const records = await this.#options.table.all()
    return records.sort((one, other) => one.startedAt.localeCompare(other.startedAt))
  }

  /**
   * Takes up the open executions that do not run here, each at its checkpoint; how many. They were left by a former process, or
   * the table did not answer when they began or ended.
   */
  async resume(): Promise<number> {
    if (this.#closing) return 0
    const left = (await this.#options.table.running()).filter((record) => !this.#claimed.has(executionKey(record)))
    for (const record of left) this.#claimed.add(executionKey(record))
    const taken = await Promise.all(left.map((record) => this.#tryToTakeUp(record)))
    return taken.filter(Boolean).length
  }

  /** Deletes closed executions that are past their retention; how many. */
  prune(): Promise<number> {
    return this.#options.table.prune(this.#options.clock.now())
  }

  /** Lets go of all executions: they stay RUNNING in the table, for the next process. Waits a little for calls under way. */
  async close(): Promise<void> {
    this.#closing = true
    this.#limit.close()
    const runs = [...this.#runs.values()]
    for (const run of runs) run.stop()
    await withinTimeout(Promise.all([...runs.map((run) => run.idle()), ...this.#ends]), CLOSE_TIMEOUT_MS)
  }

  /** One that can't go on must not keep the others from it. */
  async #tryToTakeUp(record: ExecutionRecord): Promise<boolean> {
    try {
      return await this.#takeUp(record)
    } catch (error) {
      this.#claimed.delete(executionKey(record))
      this.#options.log.error('execution not resumed', { flow: record.flow, executionId: record.name, error })
      return false
    }
  }

  async #takeUp(record: ExecutionRecord): Promise<boolean> {
    const { StartAt, States } = this.#interpreter.definition(record.flow)
    const known = record.at in States
    const from = known ? record : { ...record, at: StartAt, data: record.input }
    if (!known) {
      const fields = { flow: record.flow, executionId: record.name, state: record.at }
      this.#options.log.warn('execution was in a state that is no more; it begins anew', fields)
    }
    const parts = await this.#partsOf(record.flow, from.at)
    const open = await this.#options.table.countResume(record)
    if (open) this.#drive(from, parts)
    else this.#claimed.delete(executionKey(record))
    return open
  }

  async #partsOf(flow: Flow, startAt: string): Promise<Pick<RunParts, 'machine' | 'definition' | 'handler'>> {
    const { handler } = this.#options
    const machine = await this.#interpreter.machine(flow, startAt)
    return { machine, definition: this.#interpreter.definition(flow), handler }
  }

  #drive(record: ExecutionRecord, parts: Pick<RunParts, 'machine' | 'definition' | 'handler'>): void {
    if (this.#closing) return
    const wanted = { key: executionKey(record), project: projectOf(record) }
    this.#limit.ask(wanted, (turn) => this.#run(record, turn, parts))
  }

  #run(record: ExecutionRecord, turn: Turn, parts: Pick<RunParts, 'machine' | 'definition' | 'handler'>): void {
    const { log, table } = this.#options
    const run = new Run(record, {
      ...parts,
      turn,
      checkpoint: (checkpoint) => table.checkpoint(record, checkpoint),
      onCheckpointError: (error) =>
        log.error('checkpoint not stored', { flow: record.flow, executionId: record.name, error }),
    })
    this.#runs.set(executionKey(record), run)
    const end = run.end.then((how) => this.#ended(record, how)).finally(() => this.#ends.delete(end))
    this.#ends.add(end)
  }

  async #ended(record: ExecutionRecord, end: ExecutionEnd): Promise<void> {
    this.#runs.delete(executionKey(record))
    // Aborted means `stop`, which writes the end itself, or `close`, which leaves it open.
    if (end.status !== 'ABORTED') await this.#finish(record, end)
    // Only now, so that `resume` does not take it up while its end is being written.
    this.#claimed.delete(executionKey(record))
  }

  async #finish(record: ExecutionRecord, end: ExecutionEnd): Promise<void> {
    const { clock, log, onUnsuccessfulEnd, table } = this.#options
    const ref: ExecutionRef = { flow: record.flow, name: record.name }
    try {
      if (!(await table.close(ref, end, clock.now()))) return
      if (end.status !== 'SUCCEEDED') onUnsuccessfulEnd?.(ref, end)
    } catch (error) {
      // It stays RUNNING: `resume` takes it up again and repeats its last state.
      log.error('end of an execution not stored', { flow: ref.flow, executionId: ref.name, status: end.status, error })
    }
  }
}
