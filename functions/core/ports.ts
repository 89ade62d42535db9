import type { Cloud } from '../cloud/cloud.ts'
import type { DriverDescriptions, Drivers } from '../drivers/contract/registry.ts'
import type { AddressPolicy } from '../kubernetes/address-guard.ts'
import type { Connect } from '../kubernetes/client.ts'
import type { Stores } from '../store/stores.ts'
import type { ExecutionRef, FlowInput } from './operation/operation.ts'
import type { TriggerBus } from './trigger/trigger.ts'
import type { Audit, OutboxEvent } from './values/event.ts'
import type { MetricName } from './values/metrics.ts'

export type ExecutionState = 'not-found' | 'running' | 'succeeded' | 'failed' | 'timed-out' | 'aborted'

/** Step Functions, or the embedded engine. */
export interface Executions {
  /** Starts under a deterministic name; starting a name again is no error, whatever became of it. */
  start(ref: ExecutionRef, input: FlowInput): Promise<void>
  /** Ends a running one; no error when it is over or was never there. */
  stop(ref: ExecutionRef, cause: string): Promise<void>
  describe(ref: ExecutionRef): Promise<ExecutionState>
  /** The state that it entered last, whether it still runs or not; undefined when it was never there. On AWS the reconciler alone may ask it. */
  lastState(ref: ExecutionRef): Promise<string | undefined>
}

/** KMS, or a key file. `context` is bound to the wrapped key: a wrong one makes `decrypt` fail. */
export interface KeyService {
  generateDataKey(context: Record<string, string>): Promise<{ plaintext: Uint8Array; wrapped: Uint8Array }>
  decrypt(wrapped: Uint8Array, context: Record<string, string>): Promise<Uint8Array>
}

/** An event bus. Gives how many of the events, from the first on, it took: fewer than all means that the next one was refused. */
export type PutEvents = (events: readonly OutboxEvent[]) => Promise<number>

/** Concurrent executions of Lambda functions, in this account and Region. */
export interface ConcurrencyPort {
  /** What functions without a reservation have together. */
  unreserved(): Promise<number>
  /** What a function has for itself; undefined when nothing is reserved. */
  reserved(functionName: string): Promise<number | undefined>
  reserve(functionName: string, executions: number): Promise<void>
  release(functionName: string): Promise<void>
}

/** Writes values of metrics, all of one moment. */
export type PublishMetrics = (values: Partial<Record<MetricName, number>>) => void

export interface Clock {
  now(): Date
}

/** Structured log lines; fields are JSON. Secrets never. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
  /** A logger that adds these fields to each line. */
  child(fields: Record<string, unknown>): Logger
}

/** Who asks, and by which decisions of the policy so far. */
export type Caller = { userId: string; projectId: string; audit?(): Audit }

/**
 * What functions use that have no rights on keys, and therefore no way into clusters: all that handlers of `access: 'table'` get. `Ports` may
 * stand for it.
 */
export type TablePorts = {
  stores: Stores
  executions: Executions
  /** What drivers say; what they do needs keys. */
  drivers: DriverDescriptions
  clock: Clock
  newId(): string
  log: Logger
  /** Who asks, while a request is handled; nobody in steps and schedules. */
  caller?: Caller
}

/** Everything outside of the process that handlers and steps use; made once per process by `runtime` or `local`. */
export type Ports = Omit<TablePorts, 'drivers'> & {
  drivers: Drivers
  /** Refuses addresses that `addressPolicy` does. */
  connect: Connect
  /** Application credentials of Keystone; absent where none is configured. */
  cloud?: Cloud
  /** Which addresses a cluster may have. */
  addressPolicy: AddressPolicy
  /** Buses that triggers may name. Default: none. */
  triggerBuses?: readonly TriggerBus[]
  /** A file that comes with the functions, by its name: CRDs of a release. @throws AssetMissing */
  asset(name: string): Promise<Uint8Array>
}
