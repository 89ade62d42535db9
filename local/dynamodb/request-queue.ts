import type { DatabaseSync } from 'node:sqlite'
import { DynamoError } from './dynamo-error.ts'
import type { Context, Operation } from './operations/operation.ts'
import { databaseUnusable, isSqliteFault } from './storage/faults.ts'

/** How long requests are carried out before others of this process have their turn, milliseconds. */
const TURN_MS = 8

export type RequestQueueOptions = {
  database: DatabaseSync
  context: Context & { storage: { forget(): void } }
  /** Told of faults of the file. */
  onFault(error: unknown): void
  /** How long a turn goes on with what waits, milliseconds. Default 8. */
  turnMs?: number
}

type Outcome = { answer: string } | { refusal: DynamoError }
type Request = {
  operation: Operation
  input: unknown
  settle: PromiseWithResolvers<string>
  outcome?: Outcome
}

const closed = (): Error => new DynamoError('InternalServerError', 'The embedded database is closed.')

/**
 * Carries out requests one after the other. Those that wait at a time share one transaction of SQLite, and with it one wait for the disk: each is
 * answered, or refused, only when that is stored. An operation decides before it writes, so a refused one has written nothing; what fails
 * otherwise takes the whole turn back.
 */
export class RequestQueue {
  readonly #options: RequestQueueOptions
  #waiting: Request[] = []
  #isDue = false
  #isClosed = false

  constructor(options: RequestQueueOptions) {
    this.#options = options
  }

  /** The answer's JSON. @throws DynamoError, DatabaseUnusable */
  run(operation: Operation, input: unknown): Promise<string> {
    if (this.#isClosed) return Promise.reject(closed())
    const request: Request = { operation, input, settle: Promise.withResolvers() }
    this.#waiting.push(request)
    this.#wake()
    return request.settle.promise
  }

  /** Refuses what waits. */
  close(): void {
    this.#isClosed = true
    for (const { settle } of this.#waiting.splice(0)) settle.reject(closed())
  }

  #wake(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#turn()
      if (this.#waiting.length > 0) this.#wake()
    })
  }

  #turn(): void {
    const begun: Request[] = []
    const { database } = this.#options
    try {
      if (this.#waiting.length === 0) return
      database.exec('BEGIN')
      this.#carryOut(begun)
      database.exec('COMMIT')
    } catch (error) {
      this.#takeBack(begun, error)
      return
    }
    for (const { outcome, settle } of begun) {
      if (outcome && 'answer' in outcome) settle.resolve(outcome.answer)
      else settle.reject(outcome?.refusal)
    }
  }

  #carryOut(begun: Request[]): void {
    const end = performance.now() + (this.#options.turnMs ?? TURN_MS)
    do {
      const request = this.#waiting.shift()
      if (request === undefined) return
      begun.push(request)
      request.outcome = this.#outcome(request)
    } while (performance.now() < end)
  }

  #outcome({ operation, input }: Request): Outcome {
    try {
      return { answer: operation(this.#options.context, input) }
    } catch (error) {
      if (error instanceof DynamoError) return { refusal: error }
      throw error
    }
  }

  /** SQLite may have ended the transaction by itself. */
  #takeBack(begun: readonly Request[], error: unknown): void {
    const { database, context, onFault } = this.#options
    const isFault = isSqliteFault(error)
    const reason = isFault ? databaseUnusable(error) : error
    const faults = [error]
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
      context.storage.forget()
    } catch (second) {
      faults.push(second)
    }
    // A request that was never begun, because BEGIN failed, meets the same.
    const failed = begun.length === 0 ? this.#waiting.splice(0) : begun
    for (const { settle } of failed) settle.reject(reason)
    for (const fault of faults) onFault(fault)
  }
}
