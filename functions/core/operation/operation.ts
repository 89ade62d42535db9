import type { JsonObject } from '../values/json.ts'

/** The long-running flows: one state machine each, all of them as `statemachines/operation.asl.json` says. */
export const FLOWS = [
  'cluster-create',
  'cluster-update',
  'cluster-delete',
  'federation-create',
  'federation-update',
  'federation-delete',
  'member-join',
  'member-unjoin',
  'credential-rotate',
  'federation-rotate',
] as const
export type Flow = (typeof FLOWS)[number]

/** `do` runs the flow forwards; `undo` takes back what an attempt made and records the failure. */
export type OperationMode = 'do' | 'undo'

/** Where an execution can be found: its state machine and its name. */
export type ExecutionRef = { flow: Flow; name: string }

/**
 * One change under way on an entity. Set by the same conditional write as the `*_IN_PROGRESS` status, before the caller's 202.
 * Every write of a step is conditional on it; it is null when nothing runs.
 */
export type Operation<K extends string = string> = {
  /** UUIDv7. */
  id: string
  kind: K
  /** From 1. The reconciler starts a further attempt when an execution is dead or past its deadline. */
  attempt: number
  mode: OperationMode
  /** ISO-8601 UTC. */
  startedAt: string
  /** ISO-8601 UTC. After it the reconciler goes to undo, so that nothing stays in progress for ever. */
  deadline: string
  /**
   * What an unjoin, or the unjoins of a delete, do with the workloads that the federation brought into a member; absent: they stay
   * (`?workloads=delete`).
   */
  workloads?: 'delete'
  /** A renewal that makes all credentials of before worthless first, since one may be known to somebody. */
  revokes?: true
  /** Skip what can't be reached, and say what was left behind (`?force=true`). */
  force: boolean
  /** Executions that this operation replaced: stopped and awaited before its first step acts. */
  supersedes: readonly ExecutionRef[]
  /** Attempts that were only the next execution of one that had grown long; absent for none. */
  continued?: number
  /** Why the attempt before this one ended, shown when undo is over. */
  failure: { reason: string; message: string } | null
}

/** What becomes of workloads: said (`?workloads=`), or undefined where nothing is. */
export type DesiredWorkloads = 'delete' | 'keep' | undefined

/** The request as an operation carries it; where nothing is said, as `before`, the operation that is replaced, has it. */
export const workloadsOf = (
  desired: DesiredWorkloads,
  before: Pick<Operation, 'workloads'> | null = null,
): Pick<Operation, 'workloads'> => ((desired ?? before?.workloads) === 'delete' ? { workloads: 'delete' } : {})

/** Input of every execution (design section 4): ids only, so no secret can be in a state's data. */
export type FlowInput = {
  projectId: string
  /** Cluster id, federation id, or `<federation id>:<cluster id>` of a membership. */
  entityId: string
  operationId: string
  attempt: number
  mode: OperationMode
  /** Where the execution before this one was, in one that goes on from it: what its last step returned. */
  result?: { progress: JsonObject }
}

/** `<operationId>-<attempt>`. Step Functions refuses a closed name for 90 days, hence the attempt. */
export const executionName = (operation: Pick<Operation, 'id' | 'attempt'>): string =>
  `${operation.id}-${operation.attempt}`

/** Why something ended: `reason` is the name of an error or another CamelCase constant, `message` whole sentences without secrets. */
export type Failure = { reason: string; message: string }

/** `<reason>: <message>`, as `status_reason` shows it. */
export const describeFailure = (failure: Failure): string => `${failure.reason}: ${failure.message}`

/** The failure with what could not be taken back after it in its message. */
export const noted = ({ reason, message }: Failure, notes: readonly string[]): Failure => ({
  reason,
  message: [message, ...(notes.length > 0 ? [`Not undone: ${notes.join('; ')}.`] : [])].join(' '),
})
