import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, Operation } from '../core/operation/operation.ts'
import type { JsonObject } from '../core/values/json.ts'
import type { ObjectRef } from '../core/values/object-ref.ts'
import type { StepResult } from '../drivers/contract/phase.ts'
import type { KubernetesClient } from '../kubernetes/client.ts'
import type { StepPorts, StepState } from './step.ts'

/** What a phase says of one call: as a driver does, and what the end of the flow needs to know of it. */
export type PhaseResult = StepResult & {
  /** Kept by the state machine and given to the end of the flow. No secrets. */
  carried?: JsonObject
}

/** A phase with its context bound: checks the entity anew each time, since the state changes while phases run. */
export type BoundPhase = {
  id: string
  title: string
  deadlineSeconds: number
  /** True: one that fails is noted and passed over, in any operation. */
  isLenient?: boolean
  /** Acts, and stores what came of it. */
  ensure(): Promise<PhaseResult>
  /** Takes it back, and stores what came of it; absent for phases that leave nothing behind. */
  undo?: (() => Promise<PhaseResult>) | undefined
  /** What counts as left behind when the phase is passed over. Absent: a note says that it failed. */
  leftBehind?(): Promise<readonly ObjectRef[]>
}

/** One operation as the loop sees it. */
export type LoopSubject = {
  operation: Operation
  phases: readonly BoundPhase[]
  /** True: no phase waits past the operation's deadline, less a margin for what comes after it. Absent: the reconciler ends it there. */
  endsInTime?: boolean
  /** Tells the reader of `status_reason`. Writes only when it changes. */
  report(statusReason: string): Promise<void>
  /** Takes back what was reported with this beginning, once it is no longer waited for. Absent: it stays until something else is reported. */
  takeBack?(beginning: string): Promise<void>
  /** Ends the connections of this step. */
  close(): void
}

/** What did not go as planned although the loop came to its end, in sentences. */
export type LoopOutcome = {
  /** What a forced delete passed over, or undo could not take back; and objects that stay although their phase is done. */
  notes: readonly string[]
  /** What works in part only, as drivers said of their phases. */
  warnings: readonly string[]
  /** Objects of ours that stay, of which the notes tell. */
  leftovers: readonly ObjectRef[]
  /** What phases had to say to the end of the flow. */
  carried: JsonObject
}

/** How a flow failed, and whether all phases could be asked to take back what they made. */
type LoopFailure = LoopOutcome & { failure: Failure; isUndone: boolean }

/** What a flow puts into the loop. All throw OperationSuperseded when the operation no longer runs. */
export type Loop = {
  /** The operation alone: needs no driver and no cluster. */
  operation(ports: StepPorts, state: StepState): Promise<Operation>
  subject(ports: StepPorts, state: StepState): Promise<LoopSubject>
  /** All phases are done. Writes the entity's end. */
  succeed(ports: StepPorts, state: StepState, outcome: LoopOutcome): Promise<void>
  /** Undo is over. Writes the entity's end. */
  fail(ports: StepPorts, state: StepState, outcome: LoopFailure): Promise<void>
}

/**
 * How long a step looks again by itself, milliseconds, before it hands the wait to the state machine: transitions cost money and a Wait
 * is at least 1 s. Its function has 60 s (`infra/limits.ts`) for that and its calls.
 */
export const POLL_MS = 10_000

/**
 * How long a step may begin calls of clusters, milliseconds: one that has begun takes 15 s at most, so that the step has ended before its Task's
 * TimeoutSeconds (75) begin another.
 */
export const CALLS_MS = 55_000

const FIRST_PAUSE_MS = 200
const LAST_PAUSE_MS = 2000
const GROWTH = 1.5

/**
 * Looks again until `done` or the time is up, with growing pauses (200 ms to 2 s). The last observation is the answer; the first always
 * happens.
 */
export const poll = async <T extends { done: boolean }>(observe: () => Promise<T>, untilMs: number): Promise<T> => {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LAST_PAUSE_MS)) {
    const seen = await observe()
    if (seen.done || performance.now() + pause > untilMs) return seen
    await sleep(pause)
  }
}

type Demand = () => Promise<unknown>

const after =
  <A extends unknown[], T>(demand: Demand, call: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    await demand()
    return call(...args)
  }

/** A client that asks before each call that may change something; reads go on. */
export const guarded = (client: KubernetesClient, demand: Demand): KubernetesClient => ({
  get: (resource, name) => client.get(resource, name),
  list: (resource, options) => client.list(resource, options),
  create: after(demand, client.create.bind(client)),
  apply: after(demand, client.apply.bind(client)),
  patch: after(demand, client.patch.bind(client)),
  delete: after(demand, client.delete.bind(client)),
  post: after(demand, client.post.bind(client)),
  put: after(demand, client.put.bind(client)),
  raw: async (path, body) => {
    if (body === undefined) return client.raw(path)
    await demand()
    return client.raw(path, body)
  },
  version: () => client.version(),
  reach: () => client.reach(),
  forward: (pod) => client.forward(pod),
  close: () => client.close(),
})

/** One question at a time: calls that begin meanwhile take its answer. */
const shared = (ask: Demand): Demand => {
  let asking: Promise<unknown> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

/**
 * Ports whose clients change a cluster only while the attempt is the one that runs on its entity, as `demand` asks. A state machine that is stopped does not stop
 * the function that works for it (AWS lets it run to its end), so what is under way may meet the operation that took over: it writes nothing more
 * then. What stays is the one request that was on its way. The clients' calls throw OperationSuperseded.
 */
export const whileOpen = (ports: StepPorts, demand: Demand): StepPorts => {
  const ask = shared(demand)
  return { ...ports, connect: (connection, limits) => guarded(ports.connect(connection, limits), ask) }
}
