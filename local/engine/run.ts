import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunOptions, StateMachine } from 'aws-local-stepfunctions'
import type { Turn } from './concurrency-limit.ts'
import { type Definition, localArn } from './definition.ts'
import type { ExecutionEnd, ExecutionRecord } from './execution-record.ts'
import type { Checkpoint } from './execution-table.ts'
import { executionIsOver, type FlowHandler, invokeTask } from './task-binding.ts'

/**
 * Stores the latest checkpoint of one execution. Checkpoints noted while a write is under way replace each other: only where the
 * execution is now matters, so Choice and Pass states cost no write of their own.
 */
class CheckpointWriter {
  readonly #write: (checkpoint: Checkpoint) => Promise<void>
  readonly #onError: (error: unknown) => void
  #next: Checkpoint | undefined
  #writing: Promise<void> | undefined

  /** @param onError told of a write that failed; the execution goes on, and a restart repeats more of it */
  constructor(write: (checkpoint: Checkpoint) => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write
    this.#onError = onError
  }

  note(checkpoint: Checkpoint): void {
    this.#next = checkpoint
    this.#writing ??= this.#run()
  }

  /** Resolves when what was noted is stored. */
  async flushed(): Promise<void> {
    await this.#writing
  }

  async #run(): Promise<void> {
    while (this.#next) {
      const checkpoint = this.#next
      this.#next = undefined
      await this.#write(checkpoint).catch(this.#onError)
    }
    this.#writing = undefined
  }
}

export type RunParts = {
  machine: StateMachine
  definition: Definition
  handler: FlowHandler
  /** Rests in Wait states. */
  turn: Turn
  /** Stores where the execution is; false when it is closed. */
  checkpoint: (checkpoint: Checkpoint) => Promise<boolean>
  /** Told of a checkpoint that could not be stored: the execution goes on, and a restart repeats more of it. */
  onCheckpointError: (error: unknown) => void
}

type Json = Parameters<StateMachine['run']>[0]
type LocalHandlers = NonNullable<NonNullable<RunOptions['overrides']>['taskResourceLocalHandlers']>
/** What the interpreter tells while it runs; the package does not export the type. */
type EventLogs = ReturnType<StateMachine['run']>['eventLogs']

const endOf = (error: unknown): ExecutionEnd => {
  const name = error instanceof Error ? error.name : ''
  if (name === 'ExecutionTimeoutError') return { status: 'TIMED_OUT', error: 'States.Timeout' }
  if (name === 'ExecutionAbortedError') return { status: 'ABORTED' }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  return { status: 'FAILED', error: cause?.name ?? 'States.Runtime', cause: cause?.message ?? String(error) }
}

/**
 * One execution in this process, from the state and data of its record to its end.
 *
 * Before each Task the handler waits until the checkpoint of that state is stored, so a restart repeats the interrupted state and
 * none before it, and an execution that was stopped before it began calls nothing. After the end no handler is called any more, although the interpreter would do so for a pending Retry.
 */
export class Run {
  readonly end: Promise<ExecutionEnd>
  readonly #parts: RunParts
  readonly #abort: () => void
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #checkpoints: CheckpointWriter
  #over = false

  constructor(record: ExecutionRecord, parts: RunParts) {
    this.#parts = parts
    this.#checkpoints = new CheckpointWriter((checkpoint) => this.#store(checkpoint), parts.onCheckpointError)
    const run = parts.machine.run(JSON.parse(record.data) as Json, {
      overrides: { taskResourceLocalHandlers: this.#handlers() },
      context: {
        Execution: { Id: localArn('states', `execution:fedplane-${record.flow}:${record.name}`), Name: record.name },
      },
    })
    this.#abort = run.abort
    const read = this.#noteStates(run.eventLogs)
    this.end = run.result
      .then((output): ExecutionEnd => ({ status: 'SUCCEEDED', output: JSON.stringify(output) }), endOf)
      .then(async (end) => {
        this.#over = true
        await read
        await this.#checkpoints.flushed()
        parts.turn.end()
        return end
      })
  }

  /** Ends it: no further state, no further call of the handler. A call under way goes on, as on AWS. */
  stop(): void {
    this.#over = true
    this.#abort()
  }

  /** Resolves when no call of the handler is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inFlight)
  }

  #handlers(): LocalHandlers {
    const tasks = Object.entries(this.#parts.definition.States).filter(([, state]) => state.Type === 'Task')
    return Object.fromEntries(tasks.map(([name]) => [name, (parameters) => this.#task(parameters)]))
  }

  async #task(parameters: Json): Promise<Json> {
    // By the next turn of the event loop the reader of the event log has noted the state that this call belongs to.
    await nextTurn()
    await this.#checkpoints.flushed()
    if (this.#over) throw executionIsOver()
    const call = invokeTask(this.#parts.handler, parameters)
    this.#inFlight.add(call)
    try {
      return (await call) as Json
    } finally {
      this.#inFlight.delete(call)
    }
  }

  async #store(checkpoint: Checkpoint): Promise<void> {
    if (!(await this.#parts.checkpoint(checkpoint))) this.stop()
  }

  async #noteStates(events: EventLogs): Promise<void> {
    for await (const event of events) {
      if (event.type !== 'StateEntered' || !('state' in event)) continue
      this.#enter(event.state.name, event.state.input)
    }
  }

  /** States that only choose or reshape need no checkpoint: from the one before they come out the same again. */
  #enter(name: string, input: unknown): void {
    const { definition, turn } = this.#parts
    const type = definition.States[name]?.Type
    if (type === 'Wait') turn.rest()
    else turn.goOn()
    if (type === 'Task' || type === 'Wait') this.#checkpoints.note({ at: name, data: JSON.stringify(input) })
  }
}
