import type { ExecutionRef, Flow } from '../../functions/core/operation/operation.ts'
import type { OutboxEvent } from '../../functions/core/values/event.ts'
import { localArn } from '../engine/definition.ts'
import type { ExecutionEnd } from '../engine/execution-record.ts'

type Envelope = { id: string; time: string }

export const EXECUTION_STATUS_CHANGE = 'Step Functions Execution Status Change'

/** An execution failed, timed out or was aborted: the fields of Step Functions' own event that we use. */
export type ExecutionStatusEvent = Envelope & {
  source: 'aws.states'
  'detail-type': typeof EXECUTION_STATUS_CHANGE
  detail: { executionArn: string; stateMachineArn: string; name: string; flow: Flow } & ExecutionEnd
}

/** Events in EventBridge's form. */
export type BusEvent = OutboxEvent | ExecutionStatusEvent

export const executionStatusEvent = (
  ref: ExecutionRef,
  end: ExecutionEnd,
  envelope: Envelope,
): ExecutionStatusEvent => ({
  ...envelope,
  source: 'aws.states',
  'detail-type': EXECUTION_STATUS_CHANGE,
  detail: {
    ...end,
    flow: ref.flow,
    name: ref.name,
    executionArn: localArn('states', `execution:fedplane-${ref.flow}:${ref.name}`),
    stateMachineArn: localArn('states', `stateMachine:fedplane-${ref.flow}`),
  },
})
