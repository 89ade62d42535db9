import { FLOWS, type Flow } from '../core/operation/operation.ts'
import type { Logger, Ports } from '../core/ports.ts'
import { isAppError } from '../core/values/app-error.ts'
import type { Json } from '../core/values/json.ts'
import { connectUntil } from '../kubernetes/connect-until.ts'
import { StepFailed } from './errors.ts'
import { loopSteps, type Steps } from './loop-steps.ts'
import { PLANS } from './plans.ts'
import { CALLS_MS, POLL_MS } from './poll.ts'
import { type Step, StepEventSchema, type StepPorts, type StepState } from './step.ts'

/**
 * The error as the state machine may have it: name for `ErrorEquals`, safe message, no stack, no cause (Lambda and Step Functions store
 * what is thrown in the execution's history).
 */
const toThrow = (error: { name: string; message: string }): Error => {
  const safe = new Error(error.message)
  safe.name = error.name
  safe.stack = `${error.name}: ${error.message}`
  return safe
}

/** What comes out of a step that threw: our own errors as they are, everything else as StepFailed, with the original in the log. */
const errorFor = (log: Logger, error: unknown): Error => {
  if (isAppError(error)) {
    log.info('step ended with an error', { error: error.name, message: error.message, retryable: error.retryable })
    return toThrow(error)
  }
  log.error('step failed', { error })
  return toThrow(new StepFailed('The step failed for a reason inside fedplane; its log has the details.'))
}

/** The steps of flows. */
export type FlowSteps = Readonly<Partial<Record<Flow, Steps>>>

type Called = { flow: Flow; step: Step; name: string; state: StepState }

const readEvent = (ports: StepPorts, flows: FlowSteps, event: unknown): Called => {
  const { data, error } = StepEventSchema.safeParse(event)
  const step = data && flows[data.flow]?.[data.step]
  if (step) return { flow: data.flow, step, name: data.step, state: data.state }
  ports.log.error('step event refused', { issues: error?.issues ?? 'unknown flow or step' })
  throw toThrow(new StepFailed('The event names no step of a flow; its state machine does not fit this function.'))
}

/**
 * Function of all flows: parses the event, runs the named step, and lets only our own errors out. A step begins no call of a cluster after its time:
 * on AWS its function ends, and the embedded engine can only stop to wait for it, so that it would go on beside its retry.
 */
export const handlerFor =
  (ports: StepPorts, flows: FlowSteps) =>
  async (event: unknown): Promise<Json> => {
    const { flow, step, name, state } = readEvent(ports, flows, event)
    const log = ports.log.child({ flow, step: name, ...idsOf(state) })
    try {
      return await step({ ...ports, log, connect: connectUntil(ports.connect, performance.now() + CALLS_MS) }, state)
    } catch (error) {
      throw errorFor(log, error)
    }
  }

const idsOf = ({ projectId, entityId, operationId, attempt }: StepState) => ({
  projectId,
  entityId,
  operationId,
  attempt,
})

/** The steps of every flow: names equal the Task states of `operation.asl.json` (a test holds them together). */
export const FLOW_STEPS = Object.fromEntries(FLOWS.map((flow) => [flow, loopSteps(PLANS[flow])])) as Record<Flow, Steps>

/** Takes a Task's payload, gives its result. Throws only errors with a literal name and a safe message. */
export type FlowHandler = (event: unknown) => Promise<Json>

export type FlowOptions = {
  /** In place of `POLL_MS`, for tests. */
  pollMs?: number
}

/** The function of all flows over these ports: on AWS one Lambda, locally in the process. */
export const flowHandler = (ports: Ports, { pollMs = POLL_MS }: FlowOptions = {}): FlowHandler =>
  handlerFor({ ...ports, pollMs }, FLOW_STEPS)
